import { Admission, type Owner, Problem } from '@roadstead/kit';

/** Of all together; one principal has at most half, so that the others find room all the same. */
export interface RoomLimits {
  readonly messages: number;
  readonly bytes: number;
}

export interface RoomOptions {
  readonly limits?: RoomLimits | undefined;
  /** Throws a Problem while no run could be given to a host. */
  readonly requireRunnable?: (() => void) | undefined;
  /** To who finds no room. */
  readonly refusal?: { readonly sentence: string; readonly retry_after_s: number };
}

/** What waits for its time has a room of its own until it ends: it keeps nobody out who comes now. */
export const LATER: RoomOptions = {
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
const LIMITS: RoomLimits = { messages: 4000, bytes: 256 * 1024 * 1024 };

/**
 * How much unfinished work an engine holds in memory. What waits for the database, for its thread or for a host is all
 * counted here, so that none of those queues needs a limit of its own.
 */
export class Room {
  readonly #messages: Admission;
  readonly #bytes: Admission;
  readonly #requireRunnable: () => void;
  readonly #refusal: typeof REFUSAL;

  constructor({ limits = LIMITS, requireRunnable = () => undefined, refusal = REFUSAL }: RoomOptions = {}) {
    this.#messages = new Admission({ size: limits.messages });
    this.#bytes = new Admission({ size: limits.bytes });
    this.#requireRunnable = requireRunnable;
    this.#refusal = refusal;
  }

  /**
   * A place for a principal's message, freed when it is disposed of. A message above the limit is admitted only when
   * nothing else is.
   * @throws Problem `unavailable` when the room is full, or nothing can be run
   */
  enter(weight: number, principal: string): DisposableStack {
    this.#requireRunnable();
    const owner: Owner = [principal];
    using place = new DisposableStack();
    const message = this.#messages.tryTake(owner);
    if (message !== undefined) place.use(message);
    const bytes = message && this.#bytes.tryTake(owner, weight);
    if (bytes === undefined) {
      const { sentence, retry_after_s } = this.#refusal;
      throw new Problem('unavailable', sentence, { retry_after_s });
    }
    place.use(bytes);
    return place.move();
  }

  /** A place for what was promised before, even when the room is full. */
  take(weight: number, principal: string): DisposableStack {
    const place = new DisposableStack();
    place.use(this.#messages.enter([principal])).holdPromised(1);
    place.use(this.#bytes.enter([principal])).holdPromised(weight);
    return place;
  }
}
