import { Problem } from '@roadstead/kit';

/** A share of what may be in memory at once; disposing gives it back. */
export interface Reservation extends Disposable {
  /** Holds so many bytes instead. Whoever needs more gives back all and stands in line again, so two never wait for each other. */
  resize(bytes: number): Promise<void>;
}

interface Waiting {
  readonly bytes: number;
  readonly enter: () => void;
}

/** Beyond that clients are told to come again. */
const MAX_WAITING = 1000;

/** Lets in as much as fits into memory, in the order of its coming; one that alone is larger goes alone. */
export class ByteGate {
  readonly #max: number;
  readonly #waiting: Waiting[] = [];
  #held = 0;

  constructor(max_bytes: number) {
    this.#max = max_bytes;
  }

  /** @throws Problem `unavailable` when too many wait already. */
  async enter(bytes: number): Promise<Reservation> {
    let held = await this.#take(bytes);
    const give = (kept: number) => {
      this.#held -= held - kept;
      held = kept;
      this.#admit();
    };
    const resize = async (wanted: number) => {
      if (wanted <= held) return give(wanted);
      give(0);
      held = await this.#take(wanted);
    };
    return { resize, [Symbol.dispose]: () => give(0) };
  }

  async #take(bytes: number): Promise<number> {
    const wanted = Math.min(bytes, this.#max);
    if (this.#waiting.length >= MAX_WAITING)
      throw new Problem('unavailable', 'More traces arrive than can be taken in.', { retry_after_s: 2 });
    await new Promise<void>((enter) => {
      this.#waiting.push({ bytes: wanted, enter });
      this.#admit();
    });
    return wanted;
  }

  #admit(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (this.#held + next.bytes > this.#max) return;
      this.#waiting.shift();
      this.#held += next.bytes;
      next.enter();
    }
  }
}
