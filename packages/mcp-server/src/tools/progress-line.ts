import type { Progress } from './tool.ts';

/** Clients give up on a call that they hear nothing of for a minute. */
const SIGN_MS = 10_000;
const STEP = 0.01;

/** How far a call is, as its client is told: what the tool says, and a sign of life where that is long in coming. */
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

  /** What is no progress isn’t told: the protocol wants it to grow. */
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
