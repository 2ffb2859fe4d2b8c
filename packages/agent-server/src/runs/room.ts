import { Problem } from '@roadstead/kit';

export interface RoomLimits {
  readonly messages: number;
  readonly bytes: number;
  /** Of one principal, where the others are to find room all the same. */
  readonly messages_of_one?: number;
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
  limits: { messages: 10_000, bytes: 64 * 1024 * 1024, messages_of_one: 5000 },
  refusal: {
    sentence: 'More runs wait for their time here than this agent can take; try again when some have begun.',
    retry_after_s: 60,
  },
};
const REFUSAL = {
  sentence: 'This agent has more unfinished messages than it can take; try again.',
  retry_after_s: 5,
};
const LIMITS: RoomLimits = { messages: 2000, bytes: 256 * 1024 * 1024 };

/**
 * How much unfinished work an engine holds in memory. What waits for the database, for its thread or for a host is all
 * counted here, so that none of those queues needs a limit of its own.
 */
export class Room {
  readonly #limits: RoomLimits;
  readonly #requireRunnable: () => void;
  readonly #refusal: typeof REFUSAL;
  readonly #ofOne = new Map<string, number>();
  #messages = 0;
  #bytes = 0;

  constructor({ limits = LIMITS, requireRunnable = () => undefined, refusal = REFUSAL }: RoomOptions = {}) {
    this.#limits = limits;
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
    const { messages, bytes, messages_of_one = messages } = this.#limits;
    const isFull = this.#messages >= messages || (this.#messages > 0 && this.#bytes + weight > bytes);
    if (isFull || (this.#ofOne.get(principal) ?? 0) >= messages_of_one) {
      const { sentence, retry_after_s } = this.#refusal;
      throw new Problem('unavailable', sentence, { retry_after_s });
    }
    return this.take(weight, principal);
  }

  /** A place for what was promised before, even when the room is full. */
  take(weight: number, principal: string): DisposableStack {
    this.#count(principal, { messages: 1, bytes: weight });
    const place = new DisposableStack();
    place.defer(() => this.#count(principal, { messages: -1, bytes: -weight }));
    return place;
  }

  #count(principal: string, { messages, bytes }: RoomLimits): void {
    this.#messages += messages;
    this.#bytes += bytes;
    if (this.#limits.messages_of_one === undefined) return;
    const own = (this.#ofOne.get(principal) ?? 0) + messages;
    if (own === 0) this.#ofOne.delete(principal);
    else this.#ofOne.set(principal, own);
  }
}
