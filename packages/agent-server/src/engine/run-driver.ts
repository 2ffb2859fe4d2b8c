import type { HostError, RunResult, RunParams } from '@roadstead/contracts/host';
import { type Database, type Log, Problem } from '@roadstead/kit';
import { SharedParts } from '@roadstead/contracts/host-peer';
import { findOwnCheckpoints } from '../checkpoints/checkpoint-store.ts';
import { retryOutages } from '../database/outages.ts';
import type { LiveRun } from '../runs/live-run.ts';
import { graphFailure, hostFailure, type RunEnding, type RunFailure } from './run-endings.ts';
import type { RunFinisher } from './run-finisher.ts';
import type { RunLog } from '../run-log/run-log.ts';
import { paramsOf } from './run-params.ts';
import { advanceAttempt, stampRun } from '../runs/run-store.ts';
import type { RunHosts } from './engine-options.ts';
import type { CancelRecord, RunRow } from '../runs/records.ts';

export interface RunDriverOptions {
  readonly db: Database;
  readonly runs: RunLog;
  readonly finisher: RunFinisher;
  /** The engine's life; what a former one still does is refused. */
  readonly epoch: number;
  readonly hosts: RunHosts;
  readonly activeRevision: () => string | undefined;
  /** For the deployment's log: what a graph threw. */
  readonly onFailure: (run: RunRow, error: HostError) => void;
  /** Whether callers may read what a graph threw. */
  readonly expose_errors: boolean;
  /** Hides the deployment's secrets in texts that leave. */
  readonly mask: (text: string) => string;
  readonly log: Log;
}

/** A run is tried this many times before it fails (BG_JOB_MAX_RETRIES of the original). */
const MAX_ATTEMPTS = 3;
/** Our own restarts count as no failure; but a run that began so often may be what causes them. */
const MAX_BEGUN = 20;
/** Runs that end sooner are never shown as working to those who poll. */
const SHOW_WORKING_MS = 200;
/** A host that does not end a cancelled attempt within this time is not waited for. */
const CANCEL_MS = 5000;

/** How driving a run ended; see `RunDriver`. */
export type Driven = 'ended' | 'asking' | 'lost' | 'left';

/**
 * Drives runs from the queue to their end.
 *
 * `drive` takes a run that is first on its thread. It waits for an active revision, stamps the run with it and sends the
 * run to a graph host of it: the first attempt with the run's input, a later one from the last checkpoint that the run
 * wrote. Then
 *
 * - the host reports a result: the run's end is committed in one statement with everything that it wrote (`ended`), or,
 *   where the graph asked something, with the question (`asking`);
 * - a client cancels it: the host is told, and the run ends as `interrupted` when it obeys, or after a while;
 * - the host drains: the run begins a new attempt, which counts as no failure;
 * - the host dies: the run begins a new attempt after a pause, three times at most, and then fails;
 * - the engine closes: the run stays in the queue for the next engine (`left`);
 * - the end could not be committed: whether it stands is not known, so the run is looked for in the database (`lost`).
 *
 * Each attempt has a number in the database. What an earlier attempt still sends is refused by that number.
 */
export class RunDriver {
  readonly #options: RunDriverOptions;
  readonly #stop = new AbortController();

  constructor(options: RunDriverOptions) {
    this.#options = options;
  }

  /** From here on nothing new begins; what is unfinished stays in the queue for the next life. */
  close(): void {
    this.#stop.abort();
  }

  /** Runs until the end is committed, or until the engine closes. Never rejects. */
  async drive(run: LiveRun): Promise<Driven> {
    const { runs, finisher, log } = this.#options;
    // A later attempt tells itself that it began.
    const begun = () => {
      if (run.row.attempt === 1 && !run.is_adopted && !this.#stop.signal.aborted)
        runs.report(run, { kind: 'started', attempt: 1 });
    };
    // Who reads along sees that it begins before what it says.
    if (isFollowed(run)) begun();
    const working = isFollowed(run) ? undefined : setTimeout(begun, SHOW_WORKING_MS);
    try {
      const ending = await this.#attempt(run);
      clearTimeout(working);
      if (ending === undefined) return 'left';
      // Whatever the host still sends for this run, such as a write that the graph did not await, comes too late.
      run.over = true;
      const end = await finisher.finish(run, ending);
      return (end?.interrupts.length ?? 0) > 0 ? 'asking' : 'ended';
    } catch (error) {
      log.error('run could not be ended; it is looked for again', { run_id: run.row.run_id, error });
      return 'lost';
    } finally {
      run.over = true;
      clearTimeout(working);
    }
  }

  /** Undefined when the engine closed first, or another attempt has taken over. */
  async #attempt(run: LiveRun): Promise<RunEnding | undefined> {
    for (;;) {
      const revision_id = await this.#activeRevision(run);
      if (isCancelled(run)) return cancelled(run.cancel.reason);
      if (revision_id === undefined) return undefined;
      if (run.is_adopted && (await this.#renewed(run)) !== true) return undefined;
      if (run.row.attempt > MAX_BEGUN) return hostFailure(tooOften);
      const params = await this.#retryOutages(() => this.#prepare(run, revision_id));
      if (params === undefined) return undefined;
      try {
        const outcome = await this.#onHost(run, revision_id, params);
        if (run.over) return undefined;
        if (outcome.outcome === 'error') return this.#graphFailure(run, outcome.error);
        if (outcome.outcome === 'success') return outcome;
        if (isCancelled(run)) return cancelled(run.cancel.reason);
        if (this.#stop.signal.aborted) return undefined;
      } catch (error) {
        if (this.#stop.signal.aborted) return undefined;
        // That a revision was replaced while the run waited for it counts as no failure.
        if (this.#options.activeRevision() === revision_id) run.failures += 1;
        this.#options.log.warn('attempt failed', { run_id: run.row.run_id, attempt: run.row.attempt, error });
        if (run.failures >= MAX_ATTEMPTS) return hostFailure(error);
        await new Promise((resolve) => setTimeout(resolve, 100 * 2 ** run.failures));
      }
      if ((await this.#renewed(run)) !== true) return undefined;
    }
  }

  /** What the host says of an attempt; `cancelled` where a client ends it and the host does not say so in time. */
  // oxlint-disable-next-line roadstead/two-positional -- what, where and with what
  async #onHost(run: LiveRun, revision_id: string, params: RunParams): Promise<RunResult> {
    const { hosts } = this.#options;
    const { signal } = run.stop;
    const gone = Promise.withResolvers<RunResult>();
    let late: NodeJS.Timeout | undefined;
    const onStop = () => {
      hosts.cancel(revision_id, params, run.cancel?.reason);
      late = setTimeout(() => gone.resolve({ outcome: 'cancelled', reason: 'cancel' }), CANCEL_MS);
    };
    signal.addEventListener('abort', onStop);
    try {
      const outcome = hosts.run(revision_id, { params, principal: run.row.principal });
      if (signal.aborted) onStop();
      return await Promise.race([outcome, gone.promise]);
    } finally {
      clearTimeout(late);
      signal.removeEventListener('abort', onStop);
    }
  }

  #graphFailure({ row }: LiveRun, error: HostError): RunFailure {
    const { mask, expose_errors, onFailure } = this.#options;
    onFailure(row, error);
    return graphFailure(error, { reference: row.run_id, expose_errors, mask });
  }

  /** An outage of the database ends no run. Undefined when the engine closes first. */
  async #retryOutages<T>(query: (attempt: number) => Promise<T>): Promise<T | undefined> {
    const { signal: closed } = this.#stop;
    try {
      return await retryOutages(query, { closed });
    } catch (error) {
      if (closed.aborted) return undefined;
      throw error;
    }
  }

  #renewed(run: LiveRun): Promise<boolean | undefined> {
    return this.#retryOutages(async (attempt) => {
      const renewed = await this.#renew(run);
      // Or the attempt is ours, and only the answer was lost: whoever looks for the run again reads which it is.
      if (!renewed && attempt > 0) throw new Error('Whether the attempt began is not known.');
      return renewed;
    });
  }

  /** A new attempt; what the one before still writes is refused. False when the run has ended. */
  async #renew(run: LiveRun): Promise<boolean> {
    const revision_id = this.#options.activeRevision() ?? run.row.revision_id;
    const { db, epoch, runs } = this.#options;
    // What it has written so far is written as of this attempt, and the next one goes on from it.
    await runs.writes.caughtUp();
    if (!(await advanceAttempt(db, { run: run.row, revision_id, epoch }))) return false;
    run.row = { ...run.row, attempt: run.row.attempt + 1, revision_id };
    run.parts = new SharedParts();
    run.parts_said.clear();
    run.broken = undefined;
    run.is_adopted = false;
    run.over = false;
    runs.report(run, { kind: 'started', attempt: run.row.attempt });
    return true;
  }

  /** Undefined when the engine closes or the run is cancelled first. */
  async #activeRevision(run: LiveRun): Promise<string | undefined> {
    while (!this.#stop.signal.aborted && !isCancelled(run)) {
      const revision_id = this.#options.activeRevision();
      if (revision_id !== undefined) return revision_id;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return undefined;
  }

  /**
   * A first attempt begins with its input; a later one goes on from the run's last checkpoint, if it wrote one, and
   * reports again what happened since the run began. Undefined where another engine has the run.
   */
  async #prepare(run: LiveRun, revision_id: string): Promise<RunParams | undefined> {
    const { db, epoch, runs } = this.#options;
    if (run.row.revision_id !== revision_id && !(await stampRun(db, { run: run.row, revision_id, epoch })))
      return undefined;
    run.row = { ...run.row, revision_id };
    if (run.row.attempt === 1) return paramsOf(run, undefined);
    await runs.writes.caughtUp();
    return paramsOf(run, await findOwnCheckpoints(db, run.row));
  }
}

const tooOften = new Problem('internal', `It was begun ${MAX_BEGUN} times and never ended.`);

/** Whoever reads a run as it goes hears first that it is under way. */
const isFollowed = ({ row: { chunks, kwargs } }: LiveRun) => chunks || (kwargs.stream_mode ?? []).length > 0;

/** Asked anew each time: a client may cancel it meanwhile. */
const isCancelled = (run: LiveRun): run is LiveRun & { cancel: CancelRecord } => run.cancel !== undefined;

const cancelled = (reason: string): RunEnding => ({ outcome: 'cancelled', status: 'interrupted', reason });
