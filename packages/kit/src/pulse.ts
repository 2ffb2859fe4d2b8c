export interface PulseLimits {
  /** The pause between an answer and the next ping. */
  readonly ping_ms: number;
  /** A process that has not answered for this long is silent. */
  readonly silent_ms: number;
  /** A process that has not answered for this long is given up. */
  readonly unresponsive_ms: number;
}

export interface PulseOptions extends PulseLimits {
  readonly ping: () => Promise<unknown>;
  readonly onSilent: () => void;
  /** Called when it was silent and answers again. */
  readonly onBack: (after_ms: number) => void;
  readonly onLost: () => void;
}

/**
 * Watches by pings whether the event loop of another process or thread still runs: an endless loop leaves it alive
 * and its channel open.
 */
export class Pulse implements Disposable {
  readonly #options: PulseOptions;
  readonly #timers = new Set<NodeJS.Timeout>();
  #silent_since: number | undefined;
  #disposed = false;

  constructor(options: PulseOptions) {
    this.#options = options;
    this.#after(options.ping_ms, () => void this.#beat());
  }

  /** When the unanswered ping was sent; undefined while it answers. */
  get silent_since(): number | undefined {
    return this.#silent_since;
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    this.#clear();
  }

  async #beat(): Promise<void> {
    const { ping, ping_ms, silent_ms, unresponsive_ms, onSilent, onBack, onLost } = this.#options;
    const asked = Date.now();
    const answer = { came: false };
    const unless = (judge: () => void) => () => {
      // Our own loop may have been blocked: answers that arrived meanwhile are read first.
      setImmediate(() => {
        if (!answer.came && !this.#disposed) judge();
      });
    };
    this.#after(
      silent_ms,
      unless(() => {
        this.#silent_since = asked;
        onSilent();
      }),
    );
    this.#after(unresponsive_ms, unless(onLost));
    const answered = await ping().then(
      () => true,
      () => false,
    );
    // A closed channel is no answer; the exit of the process will be reported soon.
    if (!answered || this.#disposed) return;
    answer.came = true;
    this.#clear();
    const was_silent = this.#silent_since !== undefined;
    this.#silent_since = undefined;
    if (was_silent) onBack(Date.now() - asked);
    this.#after(ping_ms, () => void this.#beat());
  }

  #after(ms: number, then: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      then();
    }, ms).unref();
    this.#timers.add(timer);
  }

  #clear(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}
