/** How often a group is written again while it lives: what others changed or removed of it is put right. */
const RESYNC_MS = 60_000;
/** Which part of that is random, so that groups that began together are not written together. */
const JITTER = 0.5;

/** Comes again and again, a little earlier or later, until it is disposed of. */
export class Resync implements Disposable {
  readonly #after_ms: number;
  readonly #onDue: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor({ after_ms = RESYNC_MS, onDue }: { readonly after_ms?: number; readonly onDue: () => void }) {
    this.#after_ms = after_ms;
    this.#onDue = onDue;
    this.#arm();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #arm(): void {
    const wait_ms = this.#after_ms * (1 + JITTER * (Math.random() - 0.5));
    this.#timer = setTimeout(() => {
      this.#arm();
      this.#onDue();
    }, wait_ms).unref();
  }
}
