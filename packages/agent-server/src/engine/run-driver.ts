import type {
  AttemptRef,
  CheckpointPut,
  CheckpointWrites,
  HostCalls,
  HostTells,
  Outcome,
  RunParams,
} from '@roadstead/contracts';
import { type Database, type Log, Problem, uuidv7 } from '@roadstead/kit';
import {
  deleteCheckpoints,
  isCheckpointedBy,
  listTuples,
  readTuple,
} from '../checkpoints/checkpoint-store.ts';
import type { RunSink } from '../hosts/revision-hosts.ts';
import { runStoreOperations } from '../store/item-store.ts';
import type { Task } from '../tasks/task.ts';
import type { CommitLog, Urgency } from './commit-log.ts';
import { advanceAttempt, stampRun } from './engine-store.ts';
import type { EventLog } from './event-log.ts';
import type { LiveRun } from './live-run.ts';
import type { FinishRecord } from './records.ts';
import { applyHostEvent, applyOutcome, type Step, toWorking } from './run-rules.ts';
import type { TaskFeed } from './task-feed.ts';

export interface RunDriverOptions {
  readonly db: Database;
  readonly writes: CommitLog;
  readonly events: EventLog;
  readonly feed: TaskFeed;
  /** Runs an attempt on a host of the active revision. */
  readonly runOnHost: (revision_id: string, params: RunParams) => Promise<Outcome>;
  readonly activeRevision: () => string | undefined;
  /** The run after this one on its thread, when its end is written. */
  readonly nextOf: (run: LiveRun) => string | null;
  /** Told when a run's end is committed. */
  readonly onEnd: (task: Task) => void;
  /** Hides the deployment's secrets in texts that leave. */
  readonly mask: (text: string) => string;
  readonly log: Log;
}

/** A run is tried this many times before it fails (BG_JOB_MAX_RETRIES of the original). */
const MAX_ATTEMPTS = 3;
/** Runs that end sooner are never shown as working to those who poll. */
const SHOW_WORKING_MS = 200;

/** Drives runs: gives each to a host, takes what the host tells, tries again where a host dies, and writes the end. */
export class RunDriver implements RunSink {
  readonly #options: RunDriverOptions;
  readonly #live = new Map<string, LiveRun>();
  readonly #stop = new AbortController();

  constructor(options: RunDriverOptions) {
    this.#options = options;
  }

  find(run_id: string): LiveRun | undefined {
    return this.#live.get(run_id);
  }

  /** From here on nothing new begins; what is unfinished stays in the queue for the next life. */
  close(): void {
    this.#stop.abort();
  }

  /** Runs until the end is committed, or until the engine closes. Never rejects. */
  async drive(run: LiveRun): Promise<void> {
    this.#live.set(run.row.run_id, run);
    const working = setTimeout(
      () => this.#show(run, toWorking(run.progress, now())),
      run.row.chunks ? 0 : SHOW_WORKING_MS,
    );
    try {
      const outcome = await this.#attempt(run);
      clearTimeout(working);
      if (outcome !== undefined) await this.#finish(run, outcome);
    } catch (error) {
      this.#options.log.error('run could not be ended', { run_id: run.row.run_id, error });
    } finally {
      clearTimeout(working);
      this.#live.delete(run.row.run_id);
    }
  }

  // What hosts ask and tell.

  async ask(
    method: string,
    params: unknown,
    blobs: readonly Uint8Array[],
  ): Promise<{ result: unknown; blobs?: readonly Uint8Array[] }> {
    const { db, writes } = this.#options;
    switch (method as keyof HostCalls) {
      case 'checkpoint.get':
        await writes.caughtUp();
        return readTuple(db, params as HostCalls['checkpoint.get']['params']);
      case 'checkpoint.list':
        await writes.caughtUp();
        return listTuples(db, params as HostCalls['checkpoint.list']['params']);
      case 'checkpoint.delete_thread':
        await writes.caughtUp();
        await deleteCheckpoints(db, (params as { thread_id: string }).thread_id);
        return { result: {} };
      case 'checkpoint.put':
      case 'checkpoint.put_writes':
        await this.#write(method, params, blobs, 'now');
        return { result: {} };
      case 'store.batch':
        return {
          result: {
            results: await runStoreOperations(db, (params as HostCalls['store.batch']['params']).operations),
          },
        };
      default:
        throw new Problem('invalid', `A graph host asked "${method}", which this engine doesn't know.`);
    }
  }

  tell(method: string, params: unknown, blobs: readonly Uint8Array[]): void {
    switch (method as keyof HostTells) {
      case 'checkpoint.put':
      case 'checkpoint.put_writes':
        this.#write(method, params, blobs, 'soon').catch(() => undefined);
        return;
      case 'emit':
        return this.#emitted(params as HostTells['emit']);
      case 'log': {
        const { level, message } = params as HostTells['log'];
        return this.#options.log.debug('graph host says', { level, said: this.#options.mask(message) });
      }
      case 'ready':
      case 'done':
    }
  }

  /** Undefined when the engine closed first, or another attempt has taken over. */
  async #attempt(run: LiveRun): Promise<Exclude<Outcome, { outcome: 'cancelled' }> | undefined> {
    for (;;) {
      const revision_id = await this.#activeRevision();
      if (revision_id === undefined) return undefined;
      try {
        if (run.row.revision_id !== revision_id)
          await stampRun(this.#options.db, run.row.run_id, revision_id);
        run.row = { ...run.row, revision_id };
        const outcome = await this.#options.runOnHost(revision_id, await this.#params(run));
        if (outcome.outcome !== 'cancelled') return outcome;
        if (this.#stop.signal.aborted) return undefined;
      } catch (error) {
        if (this.#stop.signal.aborted) return undefined;
        // A revision that was replaced while the run waited for it is nobody's failure.
        if (this.#options.activeRevision() === revision_id) run.failures += 1;
        this.#options.log.warn('attempt failed', { run_id: run.row.run_id, attempt: run.row.attempt, error });
        if (run.failures >= MAX_ATTEMPTS) return hostFailure(error);
        await new Promise((resolve) => setTimeout(resolve, 100 * 2 ** run.failures));
      }
      if (!(await this.renew(run))) return undefined;
    }
  }

  /** A new attempt; what the one before still writes is refused. False when the run has ended. */
  async renew(run: LiveRun): Promise<boolean> {
    const revision_id = this.#options.activeRevision() ?? run.row.revision_id;
    if (!(await advanceAttempt(this.#options.db, run.row, revision_id))) return false;
    run.row = { ...run.row, attempt: run.row.attempt + 1, revision_id };
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

  /** A first attempt begins with its input; a later one goes on from the run's last checkpoint, if it wrote one. */
  async #params(run: LiveRun): Promise<RunParams> {
    const { run_id, attempt, thread_id, graph_id, assistant_id, metadata, chunks } = run.row;
    const goesOn = attempt > 1 && (await this.#checkpointed(run));
    const begin = run.row.resume === null ? { input: run.row.input } : { resume: run.row.resume };
    return {
      ...(goesOn ? {} : begin),
      run_id,
      attempt,
      thread_id,
      graph_id,
      assistant_id,
      has_checkpoint: run.has_checkpoint || goesOn,
      configurable: {},
      metadata,
      tags: [],
      chunks,
      durability: 'async',
    };
  }

  async #checkpointed(run: LiveRun): Promise<boolean> {
    await this.#options.writes.caughtUp();
    return isCheckpointedBy(this.#options.db, run.row.thread_id, run.row.run_id);
  }

  #emitted({ run_id, attempt, events }: HostTells['emit']): void {
    const run = this.#current({ run_id, attempt });
    if (run === undefined) return;
    for (const event of events) this.#show(run, applyHostEvent(run.progress, event, now()));
  }

  #show(run: LiveRun, { progress, events }: Step): void {
    run.progress = progress;
    this.#options.events.add(run.row.task_id, events);
  }

  /** A stale attempt writes nothing any more. */
  #current({ run_id, attempt }: AttemptRef): LiveRun | undefined {
    const run = this.#live.get(run_id);
    return run?.row.attempt === attempt ? run : undefined;
  }

  async #write(
    method: string,
    params: unknown,
    blobs: readonly Uint8Array[],
    urgency: Urgency,
  ): Promise<void> {
    const { writes } = this.#options;
    const ref = params as Partial<AttemptRef>;
    const run =
      ref.run_id === undefined || ref.attempt === undefined
        ? undefined
        : this.#current({ run_id: ref.run_id, attempt: ref.attempt });
    if (ref.run_id !== undefined && run === undefined)
      throw new Problem('conflict', 'This attempt of the run is stale.');
    try {
      if (method === 'checkpoint.put')
        await writes.put(ref.run_id ?? '', { put: params as CheckpointPut, blobs }, urgency);
      else await writes.writes(ref.run_id ?? '', { writes: params as CheckpointWrites, blobs }, urgency);
      if (run !== undefined) run.wrote_checkpoint = true;
    } catch (error) {
      if (run !== undefined) run.broken = error;
      throw error;
    }
  }

  async #finish(run: LiveRun, outcome: Exclude<Outcome, { outcome: 'cancelled' }>): Promise<void> {
    const { events, writes, feed, onEnd, log } = this.#options;
    const untold = await events.take(run.row.task_id);
    const masked =
      outcome.outcome === 'error'
        ? {
            ...outcome,
            error: { name: outcome.error.name, message: this.#options.mask(outcome.error.message) },
          }
        : outcome;
    let record = this.#record(run, masked, untold);
    let committed = await writes.finish(record).catch((error: unknown) => {
      run.broken ??= error;
      return false;
    });
    if (run.broken !== undefined) {
      log.error('what a run wrote was refused', { run_id: run.row.run_id, error: run.broken });
      record = this.#record(
        run,
        hostFailure(new Problem('internal', 'Its state could not be stored.')),
        untold,
      );
      committed = await writes.finish(record);
    }
    if (!committed) return log.warn('the end of a stale attempt was refused', { run_id: run.row.run_id });
    feed.publish(run.row.task_id, record.events);
    onEnd(taskOf(run, record));
  }

  #record(
    run: LiveRun,
    outcome: Exclude<Outcome, { outcome: 'cancelled' }>,
    untold: FinishRecord['events'],
  ): FinishRecord {
    const working =
      run.progress.status.state === 'working'
        ? { progress: run.progress, events: [] }
        : toWorking(run.progress, now());
    const end = applyOutcome(working.progress, outcome, now(), { message_id: uuidv7() });
    const { status } = end.progress;
    return {
      run_id: run.row.run_id,
      attempt: run.row.attempt,
      task_id: run.row.task_id,
      thread_id: run.row.thread_id,
      status: outcome.outcome === 'success' ? 'success' : 'error',
      error: outcome.outcome === 'error' ? outcome.error : null,
      has_checkpoint: run.has_checkpoint || run.wrote_checkpoint || outcome.outcome === 'success',
      interrupts: outcome.outcome === 'success' ? outcome.interrupts : [],
      next_run_id: this.#options.nextOf(run),
      task_status: status,
      history:
        status.state === 'input-required' && status.message ? [...run.history, status.message] : run.history,
      artifacts: end.progress.artifacts,
      events: [...untold, ...working.events, ...end.events],
    };
  }
}

const now = () => new Date().toISOString();

function hostFailure(error: unknown): Exclude<Outcome, { outcome: 'cancelled' }> {
  const message = error instanceof Problem ? error.message : 'Its process could not run it.';
  return { outcome: 'error', error: { name: 'HostError', message } };
}

function taskOf(run: LiveRun, record: FinishRecord): Task {
  return {
    id: record.task_id,
    context_id: run.context_id,
    assistant_id: run.row.assistant_id,
    status: record.task_status,
    history: record.history,
    artifacts: record.artifacts,
    seq: record.events.at(-1)?.seq ?? 0,
  };
}
