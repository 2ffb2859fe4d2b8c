import { Admission, Problem } from '@roadstead/kit';

/** The memory that one body holds; disposing releases it. */
export interface Reservation extends Disposable {
  /** Changes the number of bytes that it holds; waits where that is more than before. */
  hold(bytes: number): Promise<void>;
}

/** The limit on bodies in memory, from their first byte until they are committed. One workspace gets half of it. */
const MAX_HELD_BYTES = 268_435_456;
/** The limit on bodies; beyond it clients are asked to come again. */
const MAX_BODIES = 1000;

interface BodyRoomOptions {
  readonly max_bytes?: number;
  readonly max_bodies?: number;
}

/**
 * Gives bodies memory as they need it, to workspaces in turn. The oldest body of each workspace always gets what it
 * needs.
 */
export class BodyRoom {
  readonly #bytes: Admission;
  readonly #bodies: Admission;

  constructor({ max_bytes = MAX_HELD_BYTES, max_bodies = MAX_BODIES }: BodyRoomOptions = {}) {
    this.#bytes = new Admission({ size: max_bytes, grows: true });
    this.#bodies = new Admission({ size: max_bodies });
  }

  /**
   * Waiting ends when the signal aborts: a client that has gone takes no memory.
   * @throws Problem `unavailable` when the workspace has too many bodies here already.
   */
  enter(workspace_id: string, signal?: AbortSignal): Reservation {
    const body = this.#bodies.tryTake([workspace_id]);
    if (body === undefined)
      throw new Problem('unavailable', 'More traces arrive than can be accepted.', { retry_after_s: 2 });
    const place = this.#bytes.enter([workspace_id]);
    return {
      hold: (bytes) => place.hold(bytes, signal),
      [Symbol.dispose]: () => {
        place[Symbol.dispose]();
        body[Symbol.dispose]();
      },
    };
  }
}
