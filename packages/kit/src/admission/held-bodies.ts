import { Admission } from './admission.ts';
import { Problem } from '../problems/problem.ts';

/** The bytes of bodies that one owner may have in memory: two of the default size, and what they decompress to. */
export const HELD_BODY_BYTES = 104_857_600;

/** The bytes that one request holds of its owner's share of memory. Disposing returns them. */
export interface BodyReservation extends Disposable {
  /** @throws Problem `limit` where the owner's requests would hold more than they may. */
  take(bytes: number): void;
}

/**
 * Limits how many bytes of bodies each owner, usually a workspace, has in memory at once. A single body is always
 * allowed.
 */
export class HeldBodies {
  readonly #bytes: Admission;

  constructor(max_bytes: number) {
    this.#bytes = new Admission({ size: Infinity, most: [max_bytes] });
  }

  open(owner: string): BodyReservation {
    const place = this.#bytes.enter([owner]);
    return {
      take: (bytes) => {
        if (place.tryHold(place.held + bytes)) return;
        throw new Problem('limit', 'Too many large bodies of this workspace are read at once.', {
          retry_after_s: 1,
        });
      },
      [Symbol.dispose]: () => place[Symbol.dispose](),
    };
  }
}
