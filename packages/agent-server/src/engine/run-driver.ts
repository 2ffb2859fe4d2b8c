import type { HostError, RunParams } from '@roadstead/contracts/host';
import { type Log, Problem } from '@roadstead/kit';
import { SharedParts } from '@roadstead/contracts/host-peer';
import { findOwnCheckpoints } from '../checkpoints/checkpoint-store.ts';
import { retryOutages } from '../database/outages.ts';
import type { AttemptResult } from '../hosts/attempt-result.ts';
import { attach, detach, isDetached, type LiveRun } from '../runs/live-run.ts';
import { graphFailure, hostFailure, type RunEnding, type RunFailure } from './run-endings.ts';
import type { RunFinisher } from './run-finisher.ts';
import type { RunLog } from '../run-log/run-log.ts';
import { paramsOf } from './run-params.ts';
import { advanceAttempt, stampRun } from '../runs/run-store.ts';
import type { EngineLife } from '../runs/engine-life.ts';
import type { RunHosts } from './engine-options.ts';
import type { ServedRevision } from './served-revision.ts';
import type { CancelRecord, RunRow } from '../runs/records.ts';

export interface RunDriverOptions {
  readonly life: EngineLife;
  readonly runs: RunLog;
  readonly finisher: RunFinisher;
  readonly hosts: RunHosts;
  readonly serving: ServedRevision;
  /** Receives what a graph threw, for the deployment's log. */
  readonly onFailure: (run: RunRow, error: HostError) => void;
  /** Whether callers may read what a graph threw. */
  readonly expose_errors: boolean;
  /** Hides the deployment's secrets in texts for callers. */
  readonly mask: (text: string) => string;
  readonly log: Log;
}

/** A run is tried this many times before it fails (BG_JOB_MAX_RETRIES of the original). */
const MAX_ATTEMPTS = 3;
/**
 * Our own restarts do not count as failures; but a run that began this often may be their cause. Moves away from a host that
 * another run holds up don't count.
 */
const MAX_BEGUN = 20;
/** Runs that end sooner are never shown as working to those who poll. */
const SHOW_WORKING_MS = 200;
/** How long a host may take to end a cancelled attempt. */
const CANCEL_MS = 5000;

/** How driving a run ended; see `RunDriver`. */
export type DriveResult = 'finished' | 'interrupted' | 'unconfirmed' | 'left_queued';

/**
 * Drives runs from the queue to their end.
 *
 * `drive` takes the first run of a thread. It waits for an active revision, stamps the run with it and sends the run to
 * one of its graph hosts: the first attempt with the run's input, a later one from the last checkpoint that the run
 * wrote. Then
 *
 * - the host reports a result: the run's end is committed in one statement with everything that it wrote (`finished`),
 *   or, where the graph asked something, with the question (`interrupted`);
 * - a client cancels it: the host is informed, and the run ends as `interrupted` when it obeys, or after a while;
 * - the host drains, or something else holds up its event loop: the run begins a new attempt, which counts as no failure;
 * - the host dies: the run begins a new attempt after a pause, three times at most, and then fails;
 * - the engine closes: the run stays in the queue for the next engine (`left_queued`);
 * - it is unknown whether the end was committed: the run is looked up in the database (`unconfirmed`).
 *
 * Each attempt has a number in the database, by which messages of earlier attempts are refused.
 */
export class RunDriver {
  readonly #options: RunDriverOptions;

  constructor(options: RunDriverOptions) {
    this.#options = options;
  }

  /** Runs until the end is committed, or until the engine closes. Never rejects. */
  async drive(run: LiveRun): Promise<DriveResult> {
    const { runs, finisher, log } = this.#options;
    // A later attempt reports its own beginning.
    const begun = () => {
      if (run.row.attempt === 1 && run.attachment !== 'adopted' && !this.#isClosing)
        runs.report(run, { kind: 'started', attempt: 1 });
    };
    // A reader sees that the run begins before its first message.
    if (isFollowed(run)) begun();
    const working = isFollowed(run) ? undefined : setTimeout(begun, SHOW_WORKING_MS);
    try {
      const ending = await this.#attempt(run);
      clearTimeout(working);
      if (ending === undefined) return 'left_queued';
      // Further messages of the host, such as a write that the graph did not await, come too late.
      detach(run);
      const end = await finisher.finish(run, ending);
      return (end?.interrupts.length ?? 0) > 0 ? 'interrupted' : 'finished';
    } catch (error) {
      log.error('the end of a run could not be committed; the run is looked up again', {
        run_id: run.row.run_id,
        error,
      });
      return 'unconfirmed';
    } finally {
      detach(run);
      clearTimeout(working);
    }
  }

  /** Undefined when the engine closed first, or another attempt has taken over. */
  async #attempt(run: LiveRun): Promise<RunEnding | undefined> {
    for (;;) {
      const revision_id = await this.#activeRevision(run);
      if (isCancelled(run)) return cancelled(run.cancel.reason);
      if (revision_id === undefined || isDetached(run)) return undefined;
      if (run.attachment === 'adopted' && (await this.#renewed(run)) !== true) return undefined;
      if (run.row.attempt - run.moves > MAX_BEGUN) return hostFailure(tooOften);
      const params = await this.#retryOutages(() => this.#prepare(run, revision_id));
      if (params === undefined) return undefined;
      try {
        const outcome = await this.#onHost(run, revision_id, params);
        if (isDetached(run)) return undefined;
        if (outcome.outcome === 'error') return this.#graphFailure(run, outcome.error);
        if (outcome.outcome === 'success') return outcome;
        if (isCancelled(run)) return cancelled(run.cancel.reason);
        if (this.#isClosing) return undefined;
        if (outcome.outcome === 'moved') run.moves += 1;
      } catch (error) {
        if (this.#isClosing) return undefined;
        // A revision that was replaced while the run waited for it does not count as a failure.
        if (this.#options.serving.revision_id === revision_id) run.failures += 1;
        this.#options.log.warn('attempt failed', { run_id: run.row.run_id, attempt: run.row.attempt, error });
        if (run.failures >= MAX_ATTEMPTS) return hostFailure(error);
        await new Promise((resolve) => setTimeout(resolve, 100 * 2 ** run.failures));
      }
      if ((await this.#renewed(run)) !== true) return undefined;
    }
  }

  /** The host's result for an attempt; `cancelled` where a client ends it and the host does not answer in time. */
  // oxlint-disable-next-line roadstead/two-positional -- what, where and with what
  async #onHost(run: LiveRun, revision_id: string, params: RunParams): Promise<AttemptResult> {
    const { hosts } = this.#options;
    const { signal } = run.stop;
    const gone = Promise.withResolvers<AttemptResult>();
    let late: NodeJS.Timeout | undefined;
    const onStop = () => {
      const { run_id, attempt } = params;
      hosts.cancel(revision_id, { run_id, attempt, why: run.cancel?.reason });
      late = setTimeout(() => gone.resolve({ outcome: 'cancelled', reason: 'cancel' }), CANCEL_MS);
    };
    signal.addEventListener('abort', onStop);
    try {
      const outcome = hosts.run(revision_id, { params, principal: run.row.principal, moves: run.moves });
      if (signal.aborted) onStop();
      return await Promise.race([outcome, gone.promise]);
    } finally {
      clearTimeout(late);
      signal.removeEventListener('abort', onStop);
    }
  }

  get #isClosing(): boolean {
    return this.#options.life.closing.aborted;
  }

  #graphFailure({ row }: LiveRun, error: HostError): RunFailure {
    const { mask, expose_errors, onFailure } = this.#options;
    onFailure(row, error);
    return graphFailure(error, { reference: row.run_id, expose_errors, mask });
  }

  /** An outage of the database ends no run. Undefined when the engine closes first. */
  async #retryOutages<T>(query: (attempt: number) => Promise<T>): Promise<T | undefined> {
    const closed = this.#options.life.closing;
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
      // The attempt may be ours, with only the answer lost: the next look at the run decides.
      if (!renewed && attempt > 0) throw new Error('Whether the attempt began is not known.');
      return renewed;
    });
  }

  /** Begins a new attempt; writes of the one before are refused. False when the run has ended. */
  async #renew(run: LiveRun): Promise<boolean> {
    const revision_id = this.#options.serving.revision_id ?? run.row.revision_id;
    const { life, runs } = this.#options;
    const { db, epoch } = life;
    // All writes so far count for this attempt, and the next one continues from them.
    await runs.writes.caughtUp();
    if (!(await advanceAttempt(db, { run: run.row, revision_id, epoch }))) return false;
    run.row = { ...run.row, attempt: run.row.attempt + 1, revision_id };
    run.parts = new SharedParts();
    run.part_seqs.clear();
    run.write_error = undefined;
    attach(run);
    runs.report(run, { kind: 'started', attempt: run.row.attempt });
    return true;
  }

  /** Undefined when the engine closes or the run is cancelled first. */
  async #activeRevision(run: LiveRun): Promise<string | undefined> {
    while (!this.#isClosing && !isCancelled(run)) {
      const revision_id = this.#options.serving.revision_id;
      if (revision_id !== undefined) return revision_id;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return undefined;
  }

  /**
   * Prepares an attempt: the first begins with the run's input; a later one continues from the run's last checkpoint,
   * if it wrote one, and reports again what happened since the run began. Undefined where another engine has the run.
   */
  async #prepare(run: LiveRun, revision_id: string): Promise<RunParams | undefined> {
    const { life, runs } = this.#options;
    const { db, epoch } = life;
    if (run.row.revision_id !== revision_id && !(await stampRun(db, { run: run.row, revision_id, epoch })))
      return undefined;
    run.row = { ...run.row, revision_id };
    if (run.row.attempt === 1) return paramsOf(run, undefined);
    await runs.writes.caughtUp();
    return paramsOf(run, await findOwnCheckpoints(db, run.row));
  }
}

const tooOften = new Problem('internal', `It was begun ${MAX_BEGUN} times and never ended.`);

/** Whether somebody reads the run as it goes: they learn first that it is under way. */
const isFollowed = ({ row: { chunks, kwargs } }: LiveRun) => chunks || (kwargs.stream_mode ?? []).length > 0;

/** Asked each time: a client may cancel it meanwhile. */
const isCancelled = (run: LiveRun): run is LiveRun & { cancel: CancelRecord } => run.cancel !== undefined;

const cancelled = (reason: string): RunEnding => ({ outcome: 'cancelled', status: 'interrupted', reason });
