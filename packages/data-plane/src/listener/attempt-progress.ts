import type { Artifact, Phase } from '@roadstead/contracts/control-plane';
import type { RevisionReports } from './deployment-reports.ts';
import type { StartHindrances } from './start-hindrances.ts';

interface AttemptProgressOptions {
  readonly revision_id: string;
  readonly reports: RevisionReports;
  readonly hindrances: StartHindrances;
  readonly mask: (text: string) => string;
  readonly signal: AbortSignal;
  /** How often what keeps it is reported again. */
  readonly again_ms?: number;
}

/** A report may be lost, and what keeps an attempt may do so for minutes. */
const AGAIN_MS = 10_000;

/** Reports how far an attempt is, and what keeps it there: each report after the one before, of what holds by then, and again as long as something keeps it. */
export class AttemptProgress implements AsyncDisposable {
  readonly #options: AttemptProgressOptions;
  readonly #followed: Disposable;
  #phase: Phase = 'source';
  readonly #again: NodeJS.Timeout;
  #last: Promise<void> = Promise.resolve();
  /** Whether a report waits for the one before it. */
  #isWaiting = false;
  #wasKept = false;
  artifact: Artifact | null = null;

  constructor(options: AttemptProgressOptions) {
    this.#options = options;
    this.#followed = options.hindrances.follow(options.revision_id, () => void this.#report());
    this.#again = setInterval(() => this.#repeat(), options.again_ms ?? AGAIN_MS).unref();
  }

  get phase(): Phase {
    return this.#phase;
  }

  async enter(phase: Phase): Promise<void> {
    this.#phase = phase;
    await this.#report();
  }

  /** A report that comes after the attempt's end would undo that. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#again);
    this.#followed[Symbol.dispose]();
    await this.#last;
  }

  /** Once more after it is over, too: that report may have been lost as well. */
  #repeat(): void {
    const isKept = this.#options.hindrances.of(this.#options.revision_id) !== undefined;
    if (isKept || this.#wasKept) void this.#report();
    this.#wasKept = isKept;
  }

  #report(): Promise<void> {
    const { revision_id, reports, hindrances, mask, signal } = this.#options;
    if (this.#isWaiting) return this.#last;
    this.#isWaiting = true;
    this.#last = this.#last.then(async () => {
      this.#isWaiting = false;
      if (signal.aborted) return;
      const { artifact, phase } = this;
      const { code, message, hint } = hindrances.of(revision_id) ?? {};
      const reason =
        code === undefined || message === undefined
          ? null
          : { phase, code, message: mask(message), hint: hint ?? null, log_tail: null };
      await reports.progress({ phase, artifact, reason });
    });
    return this.#last;
  }
}
