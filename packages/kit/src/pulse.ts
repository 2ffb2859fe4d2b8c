export interface PulseLimits {
  /** Between an answer and the next question. */
  readonly ping_ms: number;
  /** Who has not answered for so long is silent. */
  readonly silent_ms: number;
  /** Who has not answered for so long is given up. */
  readonly unresponsive_ms: number;
}

export interface PulseOptions extends PulseLimits {
  readonly ping: () => Promise<unknown>;
  readonly onSilent: () => void;
  /** It was silent, and answers again. */
  readonly onBack: (after_ms: number) => void;
  readonly onLost: () => void;
}

/** Watches by pings whether the event loop of another process or thread still runs: code that loops leaves it alive and its channel open. */
export class Pulse implements Disposable {
  readonly #options: PulseOptions;
  readonly #timers = new Set<NodeJS.Timeout>();
  #silent_since: number | undefined;
  #disposed = false;

  constructor(options: PulseOptions) {
    this.#options = options;
    this.#after(options.ping_ms, () => void this.#beat());
  }

  /** When the question was asked that it has not answered; undefined while it answers. */
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
      // Our own loop may have been blocked: what has arrived meanwhile is read first.
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
    // A closed channel is no answer; the exit of who was asked will be reported soon.
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
