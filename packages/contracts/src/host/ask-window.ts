/**
 * How much a host asks at a time. It is the host that waits with the rest: where the engine stopped reading instead, it
 * would not hear either what the host answers, and would take it for dead. A host with a thousand runs keeps to it.
 */
export const HOST_WINDOW: AskWindowLimits = {
  asks: 512,
  bytes: 16 * 1024 * 1024,
  // Writes of a run keep their place among what is told, and are bounded where they are written.
  beside: ['emit', 'checkpoint.put', 'checkpoint.put_writes'],
};

export interface AskWindowLimits {
  readonly asks: number;
  readonly bytes: number;
  /** Questions that are asked whether there is room or not. */
  readonly beside: readonly string[];
}

type Frame = readonly Uint8Array[];

interface Question {
  readonly id: number;
  readonly method: string;
  readonly frame: Frame;
}

/** Questions go out as long as few enough are open; the next ones wait in order. One that is larger than all may be goes alone. */
export class AskWindow {
  readonly #limits: AskWindowLimits;
  readonly #write: (frame: Frame) => void;
  readonly #waiting = new Map<number, Frame>();
  /** The bytes of each that has gone out. */
  readonly #open = new Map<number, number>();
  #bytes = 0;

  constructor(limits: AskWindowLimits, write: (frame: Frame) => void) {
    this.#limits = limits;
    this.#write = write;
  }

  ask({ id, method, frame }: Question): void {
    if (this.#limits.beside.includes(method)) return this.#write(frame);
    this.#waiting.set(id, frame);
    this.#next();
  }

  answered(id: number): void {
    this.#bytes -= this.#open.get(id) ?? 0;
    if (this.#open.delete(id)) this.#next();
  }

  clear(): void {
    this.#waiting.clear();
  }

  #next(): void {
    for (const [id, frame] of this.#waiting) {
      const size = frame.reduce((sum, { length }) => sum + length, 0);
      const { asks, bytes } = this.#limits;
      const fits = this.#open.size < asks && this.#bytes + size <= bytes;
      if (!fits && this.#open.size > 0) return;
      this.#waiting.delete(id);
      this.#open.set(id, size);
      this.#bytes += size;
      this.#write(frame);
    }
  }
}
