/** A host that sends a frame. */
export interface FrameSender {
  endForMemory(): void;
}

/** Four frames of the largest size. */
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * Counts the bytes of incomplete frames that all hosts of this process have sent. Beyond the limit the host with the most is
 * ended: so many large frames at once are a mistake or an attack, and everybody else's would have to wait for them.
 */
export class UnfinishedFrames {
  readonly #max_bytes: number;
  readonly #held = new Map<FrameSender, number>();
  #total = 0;

  constructor(max_bytes: number = MAX_BYTES) {
    this.#max_bytes = max_bytes;
  }

  hold(sender: FrameSender, bytes: number): void {
    const before = this.#held.get(sender) ?? 0;
    if (bytes === before) return;
    this.#total += bytes - before;
    if (bytes === 0) this.#held.delete(sender);
    else this.#held.set(sender, bytes);
    if (this.#total <= this.#max_bytes) return;
    const [largest] = [...this.#held].toSorted(([, one], [, other]) => other - one);
    if (largest === undefined) return;
    this.hold(largest[0], 0);
    largest[0].endForMemory();
  }
}

/** One for the process: its memory is one, too. */
export const unfinishedFrames = new UnfinishedFrames();
