import type { Artifact, Phase } from '@roadstead/contracts/control-plane';
import type { RevisionReports } from './deployment-reports.ts';
import type { StartHindrances } from './start-hindrances.ts';

interface AttemptProgressOptions {
  readonly revision_id: string;
  readonly reports: RevisionReports;
  readonly hindrances: StartHindrances;
  readonly mask: (text: string) => string;
  readonly signal: AbortSignal;
}

/** Reports how far an attempt is, and what keeps it there: each report after the one before, of what holds by then. */
export class AttemptProgress implements AsyncDisposable {
  readonly #options: AttemptProgressOptions;
  readonly #followed: Disposable;
  #phase: Phase = 'source';
  #last: Promise<void> = Promise.resolve();
  artifact: Artifact | null = null;

  constructor(options: AttemptProgressOptions) {
    this.#options = options;
    this.#followed = options.hindrances.follow(options.revision_id, () => void this.#report());
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
    this.#followed[Symbol.dispose]();
    await this.#last;
  }

  #report(): Promise<void> {
    const { revision_id, reports, hindrances, mask, signal } = this.#options;
    this.#last = this.#last.then(async () => {
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
