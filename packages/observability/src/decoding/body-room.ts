import { Admission, Problem } from '@roadstead/kit';

/** What one body takes of the memory; disposing gives it back. */
export interface Reservation extends Disposable {
  /** Holds so many bytes from here on; waits for room where that is more than before. */
  hold(bytes: number): Promise<void>;
}

/** Bodies in memory at once, from their first byte until they are committed. Half of them are of one workspace. */
const MAX_HELD_BYTES = 268_435_456;
/** Beyond that clients are asked to come again. */
const MAX_BODIES = 1000;

interface BodyRoomOptions {
  readonly max_bytes?: number;
  readonly max_bodies?: number;
}

/** Lets bodies have memory as they need it, workspaces in turns. The oldest body of each always gets what it needs. */
export class BodyRoom {
  readonly #bytes: Admission;
  readonly #bodies: Admission;

  constructor({ max_bytes = MAX_HELD_BYTES, max_bodies = MAX_BODIES }: BodyRoomOptions = {}) {
    this.#bytes = new Admission({ size: max_bytes, grows: true });
    this.#bodies = new Admission({ size: max_bodies });
  }

  /**
   * Waiting ends when the signal aborts: who has gone takes no room.
   * @throws Problem `unavailable` when too many of the workspace are here already.
   */
  enter(workspace_id: string, signal?: AbortSignal): Reservation {
    const body = this.#bodies.tryTake([workspace_id]);
    if (body === undefined)
      throw new Problem('unavailable', 'More traces arrive than can be taken in.', { retry_after_s: 2 });
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
