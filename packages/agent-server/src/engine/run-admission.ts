import { Admission, type Owner, Problem } from '@roadstead/kit';

/** The limits for all callers together; one principal has at most half, so that there is always room for the others. */
export interface AdmissionLimits {
  readonly messages: number;
  readonly bytes: number;
}

export interface AdmissionOptions {
  readonly limits?: AdmissionLimits | undefined;
  /** The refusal that a caller gets whose run is not admitted. */
  readonly refusal?: { readonly sentence: string; readonly retry_after_s: number };
}

/** Delayed runs are counted apart until they end, so that they keep out nobody who comes now. */
export const DELAYED: AdmissionOptions = {
  limits: { messages: 10_000, bytes: 64 * 1024 * 1024 },
  refusal: {
    sentence: 'More runs wait for their time here than this agent can take; try again when some have begun.',
    retry_after_s: 60,
  },
};
const REFUSAL = {
  sentence: 'This agent has more unfinished messages than it can take; try again.',
  retry_after_s: 5,
};
const LIMITS: AdmissionLimits = { messages: 4000, bytes: 256 * 1024 * 1024 };

/**
 * Limits how much unfinished work an engine holds in memory. A run counts while it waits for the database, for its thread
 * or for a host, so that none of those queues needs a limit of its own.
 */
export class RunAdmission {
  readonly #messages: Admission;
  readonly #bytes: Admission;
  readonly #refusal: typeof REFUSAL;

  constructor({ limits = LIMITS, refusal = REFUSAL }: AdmissionOptions = {}) {
    this.#messages = new Admission({ size: limits.messages });
    this.#bytes = new Admission({ size: limits.bytes });
    this.#refusal = refusal;
  }

  /**
   * A slot for a principal's message, freed when it is disposed of. A message above the limit is admitted only when
   * nothing else is.
   * @throws Problem `unavailable` when the limit is reached
   */
  admit(weight: number, principal: string): DisposableStack {
    const owner: Owner = [principal];
    using slot = new DisposableStack();
    const message = this.#messages.tryTake(owner);
    if (message !== undefined) slot.use(message);
    const bytes = message && this.#bytes.tryTake(owner, weight);
    if (bytes === undefined) {
      const { sentence, retry_after_s } = this.#refusal;
      throw new Problem('unavailable', sentence, { retry_after_s });
    }
    slot.use(bytes);
    return slot.move();
  }

  /** A slot for what was promised before, even above the limit. */
  reserve(weight: number, principal: string): DisposableStack {
    const slot = new DisposableStack();
    slot.use(this.#messages.enter([principal])).holdPromised(1);
    slot.use(this.#bytes.enter([principal])).holdPromised(weight);
    return slot;
  }
}
