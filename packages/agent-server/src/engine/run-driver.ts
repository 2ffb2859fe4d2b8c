import type { AttemptRef, HostError, RunResult, RunParams } from '@roadstead/contracts/host';
import { type Database, type Log, Problem, uuidv7 } from '@roadstead/kit';
import { findOwnCheckpoints } from '../checkpoints/checkpoint-store.ts';
import type { Task } from '../tasks/task.ts';
import { retryOutages } from './outages.ts';
import type { CommitLog } from './commit-log.ts';
import { advanceAttempt, stampRun } from './engine-store.ts';
import type { EventLog } from './event-log.ts';
import type { LiveRun } from './live-run.ts';
import type { FinishRecord, RunRow } from './records.ts';
import {
  applyOutcome,
  graphFailure,
  type RunEnding,
  type RunFailure,
  startOver,
  type Change,
  toRejected,
  toWorking,
} from './run-rules.ts';
import type { TaskFeed } from './task-feed.ts';

export interface RunDriverOptions {
  readonly db: Database;
  readonly writes: CommitLog;
  readonly events: EventLog;
  readonly feed: TaskFeed;
  /** The engine's life; what a former one still does is refused. */
  readonly epoch: number;
  /** Runs an attempt on a host of the active revision. */
  readonly runOnHost: (revision_id: string, params: RunParams) => Promise<RunResult>;
  readonly activeRevision: () => string | undefined;
  /** Told when a run's end is committed. */
  readonly onEnd: (task: Task) => void;
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

/** How driving a run ended; see `RunDriver`. */
export type RunEnd = 'ended' | 'asking' | 'lost' | 'left';
/** Runs that end sooner are never shown as working to those who poll. */
const SHOW_WORKING_MS = 200;

/**
 * Drives runs from the queue to their end.
 *
 * `drive` takes a run that is first on its thread. It waits for an active revision, stamps the run with it and sends the
 * run to a graph host of it: the first attempt with the run's input, a later one from the last checkpoint that the run
 * wrote. Then
 *
 * - the host reports a result: the run's end is committed in one statement with everything that it wrote (`ended`), or,
 *   where the graph asked something, with the question (`asking`);
 * - the host drains: the run begins a new attempt, which counts as no failure;
 * - the host dies: the run begins a new attempt after a pause, three times at most, and then fails;
 * - the engine closes: the run stays in the queue for the next engine (`left`);
 * - the end could not be committed: whether it stands is not known, so the run is looked for in the database (`lost`).
 *
 * Each attempt has a number in the database. What an earlier attempt still sends is refused by that number.
 */
export class RunDriver {
  readonly #options: RunDriverOptions;
  readonly #live = new Map<string, LiveRun>();
  readonly #stop = new AbortController();

  constructor(options: RunDriverOptions) {
    this.#options = options;
  }

  /** From here on nothing new begins; what is unfinished stays in the queue for the next life. */
  close(): void {
    this.#stop.abort();
  }

  /** Runs until the end is committed, or until the engine closes. Never rejects. */
  async drive(run: LiveRun): Promise<RunEnd> {
    this.#live.set(run.row.run_id, run);
    const working = setTimeout(
      () => this.show(run, toWorking(run.progress, now())),
      run.row.chunks ? 0 : SHOW_WORKING_MS,
    );
    try {
      const outcome = await this.#attempt(run);
      clearTimeout(working);
      if (outcome === undefined) return 'left';
      // Whatever the host still sends for this run, such as a write that the graph did not await, comes too late.
      this.#live.delete(run.row.run_id);
      await this.#finish(run, outcome);
      return run.asked.length > 0 ? 'asking' : 'ended';
    } catch (error) {
      this.#options.log.error('run could not be ended; it is looked for again', {
        run_id: run.row.run_id,
        error,
      });
      return 'lost';
    } finally {
      clearTimeout(working);
      this.#live.delete(run.row.run_id);
    }
  }

  /** Refuses a run that waited behind one which now asks something: it would discard the question. Never rejects. */
  async reject(run: LiveRun, asked: LiveRun['asked']): Promise<RunEnd> {
    const sentence =
      'The task before this one in the context asks for an answer. Answer it with its taskId, then send this message again.';
    const { progress, events } = toRejected(run.progress, {
      at: now(),
      message_id: uuidv7(),
      sentence,
    });
    const record: FinishRecord = {
      ...refOf(run),
      status: 'error',
      error: { name: 'Rejected', message: sentence },
      has_checkpoint: run.has_checkpoint,
      interrupts: asked,
      task_status: progress.status,
      artifacts: progress.artifacts,
      events,
    };
    try {
      await this.#commit(run, record);
      return 'ended';
    } catch (error) {
      this.#options.log.error('run could not be rejected', { run_id: run.row.run_id, error });
      return 'lost';
    }
  }

  /** Undefined when the engine closed first, or another attempt has taken over. */
  async #attempt(run: LiveRun): Promise<RunEnding | undefined> {
    for (;;) {
      const revision_id = await this.#activeRevision();
      if (revision_id === undefined) return undefined;
      if (run.row.attempt > MAX_BEGUN) return hostFailure(tooOften);
      const params = await this.#retryOutages(() => this.#prepare(run, revision_id));
      if (params === undefined) return undefined;
      try {
        const outcome = await this.#options.runOnHost(revision_id, params);
        if (outcome.outcome === 'error') return this.#graphFailure(run, outcome.error);
        if (outcome.outcome === 'success') return outcome;
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

  #graphFailure({ row }: LiveRun, { name, message, stack }: HostError): RunFailure {
    const { mask, expose_errors, onFailure } = this.#options;
    onFailure(row, { name, message, ...(stack === undefined ? {} : { stack }) });
    return graphFailure({ name, message: mask(message) }, { reference: row.run_id, expose_errors });
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
      const renewed = await this.renew(run);
      // Or the attempt is ours, and only the answer was lost: whoever looks for the run again reads which it is.
      if (!renewed && attempt > 0) throw new Error('Whether the attempt began is not known.');
      return renewed;
    });
  }

  /** A new attempt; what the one before still writes is refused. False when the run has ended. */
  async renew(run: LiveRun): Promise<boolean> {
    const revision_id = this.#options.activeRevision() ?? run.row.revision_id;
    const { db, epoch } = this.#options;
    if (!(await advanceAttempt(db, { run: run.row, revision_id, epoch }))) return false;
    run.row = { ...run.row, attempt: run.row.attempt + 1, revision_id };
    run.broken = undefined;
    this.show(run, startOver(run.progress, run.answered_before));
    return true;
  }

  async #activeRevision(): Promise<string | undefined> {
    while (!this.#stop.signal.aborted) {
      const revision_id = this.#options.activeRevision();
      if (revision_id !== undefined) return revision_id;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return undefined;
  }

  /**
   * A first attempt begins with its input; a later one goes on from the run's last checkpoint, if it wrote one, and
   * reports again what happened since the run began.
   */
  async #prepare(run: LiveRun, revision_id: string): Promise<RunParams> {
    if (run.row.revision_id !== revision_id)
      await stampRun(this.#options.db, { run_id: run.row.run_id, revision_id });
    run.row = { ...run.row, revision_id };
    const { run_id, attempt, thread_id, graph_id, assistant_id, metadata, chunks } = run.row;
    const own = attempt > 1 ? await this.#ownCheckpoints(run) : undefined;
    const begin = run.row.resume === null ? { input: run.row.input } : { resume: run.row.resume };
    return {
      ...(own === undefined ? begin : { goes_on: own }),
      run_id,
      attempt,
      thread_id,
      graph_id,
      assistant_id,
      has_checkpoint: run.has_checkpoint || own !== undefined,
      configurable: {},
      // Traces tell by it what served them.
      metadata: { ...metadata, revision_id },
      tags: [],
      chunks,
      durability: 'async',
    };
  }

  async #ownCheckpoints(run: LiveRun): Promise<RunParams['goes_on']> {
    await this.#options.writes.caughtUp();
    return findOwnCheckpoints(this.#options.db, run.row);
  }

  /** What has happened in a run; streams hear of it once it is committed. */
  show(run: LiveRun, { progress, events }: Change): void {
    run.progress = progress;
    this.#options.events.add(run.row.task_id, events);
  }

  /** A stale attempt writes nothing any more. */
  current({ run_id, attempt }: AttemptRef): LiveRun | undefined {
    const run = this.#live.get(run_id);
    return run?.row.attempt === attempt ? run : undefined;
  }

  isReplaced({ run_id = '', attempt }: Partial<AttemptRef>): boolean {
    const run = this.#live.get(run_id);
    return run !== undefined && run.row.attempt !== attempt;
  }

  async #finish(run: LiveRun, outcome: RunEnding): Promise<void> {
    const { events, writes, log } = this.#options;
    const untold = await events.take(run.row.task_id);
    let record = this.#record(run, outcome, untold);
    let committed = false;
    if (run.broken === undefined)
      committed = await writes.finish(record).catch((error: unknown) => {
        run.broken ??= error;
        return false;
      });
    if (!committed && run.broken !== undefined) {
      log.error('what a run wrote was refused', { run_id: run.row.run_id, error: run.broken });
      record = this.#record(
        run,
        hostFailure(new Problem('internal', 'Its state could not be stored.')),
        untold,
      );
      committed = await writes.finish(record);
    }
    this.#tellEnd(run, record, committed);
  }

  async #commit(run: LiveRun, record: FinishRecord): Promise<void> {
    this.#tellEnd(run, record, await this.#options.writes.finish(record));
  }

  #tellEnd(run: LiveRun, record: FinishRecord, committed: boolean): void {
    const { feed, onEnd, log } = this.#options;
    if (!committed) return log.warn('the end of a stale attempt was refused', { run_id: run.row.run_id });
    run.asked = record.interrupts;
    feed.publish(run.row.task_id, record.events);
    onEnd(taskOf(run, record));
  }

  #record(run: LiveRun, outcome: RunEnding, untold: FinishRecord['events']): FinishRecord {
    const working =
      run.progress.status.state === 'working'
        ? { progress: run.progress, events: [] }
        : toWorking(run.progress, now());
    const end = applyOutcome(working.progress, outcome, { at: now(), message_id: uuidv7() });
    const { status } = end.progress;
    const interrupts = outcome.outcome === 'success' ? outcome.interrupts : [];
    return {
      ...refOf(run),
      status: outcome.outcome === 'success' ? 'success' : 'error',
      error: outcome.outcome === 'error' ? outcome.error : null,
      has_checkpoint: run.has_checkpoint || run.wrote_checkpoint || outcome.outcome === 'success',
      interrupts,
      task_status: status,
      ...(status.state === 'input-required' && status.message
        ? { history: [...run.history, status.message] }
        : {}),
      artifacts: end.progress.artifacts,
      events: [...untold, ...working.events, ...end.events],
    };
  }
}

const now = () => new Date().toISOString();

const refOf = ({ row: { run_id, attempt, task_id, thread_id } }: LiveRun) => ({
  run_id,
  attempt,
  task_id,
  thread_id,
});

const tooOften = new Problem('internal', `It was begun ${MAX_BEGUN} times and never ended.`);

/** A failure of the host, in our own words: they hold nothing that the graph said. */
function hostFailure(error: unknown): RunFailure {
  const message = error instanceof Problem ? error.sentence : 'Its process could not run it.';
  return {
    outcome: 'error',
    error: { name: 'HostError', message },
    sentence: `The agent failed: ${message}`,
  };
}

function taskOf(run: LiveRun, record: FinishRecord): Task {
  return {
    id: record.task_id,
    context_id: run.context_id,
    assistant_id: run.row.assistant_id,
    status: record.task_status,
    history: record.history ?? run.history,
    artifacts: record.artifacts,
    seq: record.events.at(-1)?.seq ?? 0,
  };
}
