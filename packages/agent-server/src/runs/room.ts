import { Problem } from '@roadstead/kit';

export interface RoomLimits {
  readonly messages: number;
  readonly bytes: number;
}

export interface RoomOptions {
  readonly limits?: RoomLimits | undefined;
  /** Throws a Problem while no run could be given to a host. */
  readonly requireRunnable?: (() => void) | undefined;
}

const LIMITS: RoomLimits = { messages: 2000, bytes: 256 * 1024 * 1024 };

/**
 * How much unfinished work an engine holds in memory. What waits for the database, for its thread or for a host is all
 * counted here, so that none of those queues needs a limit of its own.
 */
export class Room {
  readonly #limits: RoomLimits;
  readonly #requireRunnable: () => void;
  #messages = 0;
  #bytes = 0;

  constructor({ limits = LIMITS, requireRunnable = () => undefined }: RoomOptions = {}) {
    this.#limits = limits;
    this.#requireRunnable = requireRunnable;
  }

  /**
   * A place for a message, freed when it is disposed of. A message above the limit is admitted only when nothing else is.
   * @throws Problem `unavailable` when the room is full, or nothing can be run
   */
  enter(weight: number): DisposableStack {
    this.#requireRunnable();
    const { messages, bytes } = this.#limits;
    if (this.#messages >= messages || (this.#messages > 0 && this.#bytes + weight > bytes))
      throw new Problem(
        'unavailable',
        'This agent has more unfinished messages than it can take; try again.',
        {
          retry_after_s: 5,
        },
      );
    return this.take(weight);
  }

  /** A place for what was promised before, even when the room is full. */
  take(weight: number): DisposableStack {
    this.#messages += 1;
    this.#bytes += weight;
    const place = new DisposableStack();
    place.defer(() => {
      this.#messages -= 1;
      this.#bytes -= weight;
    });
    return place;
  }
}
