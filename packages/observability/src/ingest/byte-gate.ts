import { Problem } from '@roadstead/kit';

/** What one body takes of the memory; disposing gives it back. */
export interface Reservation extends Disposable {
  /** Holds so many bytes from here on; waits for room where that is more than before. */
  hold(bytes: number): Promise<void>;
}

interface Place {
  held: number;
  waiting: { readonly bytes: number; readonly go: () => void } | undefined;
}

/** Beyond that clients are asked to come again. */
const MAX_BODIES = 1000;

/**
 * Lets bodies have memory as they need it. Who came first always gets what it needs, and can't be waiting for those
 * behind it; they get what is left.
 */
export class ByteGate {
  readonly #max: number;
  /** In the order of their coming. */
  readonly #places = new Set<Place>();
  #held = 0;

  constructor(max_bytes: number) {
    this.#max = max_bytes;
  }

  /** @throws Problem `unavailable` when too many are here already. */
  enter(): Reservation {
    if (this.#places.size >= MAX_BODIES)
      throw new Problem('unavailable', 'More traces arrive than can be taken in.', { retry_after_s: 2 });
    const place: Place = { held: 0, waiting: undefined };
    this.#places.add(place);
    return {
      hold: (bytes) =>
        new Promise((go) => {
          place.waiting = { bytes, go };
          this.#admit();
        }),
      [Symbol.dispose]: () => {
        this.#places.delete(place);
        this.#held -= place.held;
        place.held = 0;
        this.#admit();
      },
    };
  }

  #admit(): void {
    let isFirst = true;
    for (const place of this.#places) {
      const { waiting } = place;
      const more = (waiting?.bytes ?? 0) - place.held;
      if (waiting !== undefined && (isFirst || more <= 0 || this.#held + more <= this.#max)) {
        this.#held += more;
        place.held = waiting.bytes;
        place.waiting = undefined;
        waiting.go();
      }
      isFirst = false;
    }
  }
}
