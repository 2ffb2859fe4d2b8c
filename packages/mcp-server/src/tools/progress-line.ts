import type { Progress } from './tool.ts';

/** Clients give up on a call without a message for a minute. */
const SIGN_MS = 10_000;
const STEP = 0.01;

/**
 * Reports the progress of a call to its client: the tool's own messages, and a sign of life where those are slow to
 * come.
 */
export class ProgressLine implements Disposable {
  readonly #send: (progress: Progress) => void;
  readonly #timer: NodeJS.Timeout;
  #last = -1;

  constructor(send: (progress: Progress) => void) {
    this.#send = send;
    this.#timer = setInterval(
      () => this.#tell({ progress: Math.max(0, this.#last + STEP), message: 'Still working.' }),
      SIGN_MS,
    );
    this.#timer.unref();
  }

  /** A report without progress isn’t sent: the protocol requires that it grows. */
  readonly report = (progress: Progress): void => {
    if (progress.progress > this.#last) this.#tell(progress);
  };

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #tell(progress: Progress): void {
    this.#last = progress.progress;
    this.#timer.refresh();
    this.#send(progress);
  }
}
