import { ApiError } from '@roadstead/contracts';
import type { Assignment, Watch } from '@roadstead/contracts/control-plane';
import { again, type Bound, isOutage, type Log, Loop, type PassResult, settled } from '@roadstead/kit';
import type { FindHead } from '../sources/git-heads.ts';
import type { ControlLink } from './control-link.ts';
import { type HeadReport, headReport, isSameReport, nextLookMs } from './head-watch-rules.ts';

export interface HeadWatchOptions {
  readonly link: Pick<ControlLink, 'sourceCredentials' | 'reportHead'>;
  readonly findHead: FindHead;
  readonly log: Log;
}

interface WatchedHead {
  readonly workspace_id: string;
  readonly watch: Watch;
  /** The last report that the control plane has accepted. A new process reports again. */
  reported: HeadReport | undefined;
  /** How often in a row the host didn't answer. */
  away_times: number;
}

/** A report that failed is repeated soon. */
const UNTOLD_MS = 5000;

/** A few processes at a time, however many refs are watched. */
const lookBound: Bound<string> = { size: 4, owner: (workspace_id) => [workspace_id] };

/** Polls refs for which no webhook comes, each at its interval, and reports where they point. */
export class HeadWatch implements AsyncDisposable {
  readonly #options: HeadWatchOptions;
  readonly #watched = new Map<string, WatchedHead>();
  readonly #loop: Loop;

  constructor(options: HeadWatchOptions) {
    this.#options = options;
    this.#loop = new Loop({
      name: 'heads',
      log: options.log,
      concurrency: lookBound.size,
      owner: (deployment_id) => lookBound.owner(this.#watched.get(deployment_id)?.workspace_id ?? ''),
      // Each ref comes up again by itself.
      list: async () => [],
      reconcile: (deployment_id, signal) => this.#look(deployment_id, signal),
    }).start();
  }

  /** Takes a newer desired state: a changed watch is looked at now. */
  assign({ workspace_id, deployment_id, watch, removed, hold = 'run' }: Assignment): void {
    if (watch === null || removed || hold !== 'run') return void this.#watched.delete(deployment_id);
    const known = this.#watched.get(deployment_id);
    if (known !== undefined && isSameWatch(known.watch, watch)) return;
    this.#watched.set(deployment_id, { workspace_id, watch, reported: undefined, away_times: 0 });
    this.#loop.wake(deployment_id);
  }

  async #look(deployment_id: string, signal: AbortSignal): Promise<PassResult> {
    const watched = this.#watched.get(deployment_id);
    if (watched === undefined) return settled;
    const { link, findHead } = this.#options;
    const { watch } = watched;
    const credentials = () => link.sourceCredentials(deployment_id);
    const found = await findHead(watch, { credentials, signal });
    watched.away_times = found.kind === 'away' ? watched.away_times + 1 : 0;
    const report = headReport(watch.ref, { found, away_times: watched.away_times });
    if (report !== undefined && !isSameReport(watched.reported, report))
      await this.#report(deployment_id, { watched, report });
    const isTold = report === undefined || isSameReport(watched.reported, report);
    return again(Math.min(nextLookMs(watch.interval_s, Math.random()), isTold ? Infinity : UNTOLD_MS));
  }

  async #report(
    deployment_id: string,
    { watched, report }: { readonly watched: WatchedHead; readonly report: HeadReport },
  ): Promise<void> {
    try {
      await this.#options.link.reportHead(deployment_id, report);
      watched.reported = report;
    } catch (error) {
      // Another process has the lease, or the deployment is gone, or it is too early: a later look reports it again.
      if (!isOutage(error) && !(error instanceof ApiError && [404, 409].includes(error.status))) throw error;
      this.#options.log.debug('a head was not reported', { deployment_id, error });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop[Symbol.asyncDispose]();
  }
}

const isSameWatch = (one: Watch, other: Watch): boolean =>
  one.repo_url === other.repo_url &&
  one.ref === other.ref &&
  one.interval_s === other.interval_s &&
  one.has_credentials === other.has_credentials;
