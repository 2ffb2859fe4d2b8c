import type { Log } from '@roadstead/kit';
import { detach, type LiveRun } from '../runs/live-run.ts';
import type { LiveRuns } from '../runs/live-runs.ts';
import type { CancelRecord } from '../runs/records.ts';
import type { DriveResult, RunDriver } from './run-driver.ts';
import type { RunFinisher } from './run-finisher.ts';
import type { StoredRuns } from './stored-runs.ts';
import type { Suspicions } from './suspicions.ts';
import { ThreadQueues } from './thread-queues.ts';

export interface RunScheduleOptions {
  readonly live: LiveRuns;
  readonly driver: Pick<RunDriver, 'drive'>;
  readonly finisher: Pick<RunFinisher, 'dismiss'>;
  readonly stored: Pick<StoredRuns, 'rollBack' | 'continueTask' | 'hasCheckpoint'>;
  /** Raised when the end of a run is unconfirmed. */
  readonly suspicions: Suspicions;
  readonly log: Log;
}

/** The longest delay of a timer. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/**
 * Decides when runs are driven: one at a time on a thread, in the order of their coming; a delayed run is put into its
 * thread's queue when its time has come. Behind a run that ends with a question, waiting runs of A2A tasks are refused
 * one after the other, since they would discard the question; runs of the LangGraph API continue from it.
 */
export class RunSchedule {
  readonly #options: RunScheduleOptions;
  readonly #live: LiveRuns;
  readonly #queues = new ThreadQueues();
  readonly #delayed = new Map<string, NodeJS.Timeout>();
  readonly #later = new ThreadQueues();
  readonly #driving = new Map<string, { readonly run: LiveRun; readonly settled: Promise<void> }>();

  constructor(options: RunScheduleOptions) {
    this.#options = options;
    this.#live = options.live;
  }

  /** The runs of a thread that have not ended, the first of which is under way. */
  of(thread_id: string): readonly LiveRun[] {
    // A run whose end is committed leaves its queue a little later.
    const queued = this.#queues.of(thread_id).filter(({ row }) => this.#live.get(row.run_id) !== undefined);
    return [...queued, ...this.#later.of(thread_id)];
  }

  add(run: LiveRun): void {
    const { run_id, not_before } = run.row;
    this.#live.add(run);
    const delay_ms = not_before === null ? 0 : Date.parse(not_before) - Date.now();
    if (delay_ms > 0 && run.cancel === undefined) {
      this.#later.push(run);
      this.#delayed.set(
        run_id,
        setTimeout(() => this.#due(run), Math.min(delay_ms, MAX_DELAY_MS)),
      );
    } else if (this.#queues.push(run)) this.#begin(run);
  }

  /** Ends a run: at once where it waits, else once its host obeys. False where the run is not here. */
  cancel(run_id: string, cancel: CancelRecord): boolean {
    const run = this.#live.get(run_id);
    if (run === undefined) return false;
    const before = run.cancel;
    if (before?.action !== 'rollback') run.cancel = cancel;
    if (before === undefined) this.#stop(run);
    return true;
  }

  /** Resolves once a run that was rolled back is gone; at once for others. */
  async rolledBack(run_id: string): Promise<void> {
    const driven = this.#driving.get(run_id);
    if (driven?.run.cancel?.action === 'rollback') await driven.settled;
  }

  /** Detaches all runs, because another engine has them, and ends those under way. */
  abandon(): void {
    for (const run of this.#live.all) {
      detach(run);
      run.stop.abort();
      const { run_id } = run.row;
      if (!this.#delayed.has(run_id)) continue;
      clearTimeout(this.#delayed.get(run_id));
      this.#delayed.delete(run_id);
      this.#later.remove(run);
      this.#live.delete(run);
    }
  }

  /** Waits for work in progress; waiting runs stay in the database. */
  async close(): Promise<void> {
    for (const timer of this.#delayed.values()) clearTimeout(timer);
    await Promise.allSettled([...this.#driving.values()].map(({ settled }) => settled));
  }

  #stop(run: LiveRun): void {
    const delay = this.#delayed.get(run.row.run_id);
    if (delay === undefined && this.#queues.isFirst(run)) return run.stop.abort();
    clearTimeout(delay);
    this.#delayed.delete(run.row.run_id);
    this.#later.remove(run);
    // Its turn no longer comes, even if the run before it ends while this is being written.
    this.#queues.remove(run);
    const { finisher } = this.#options;
    const reason = run.cancel?.reason ?? '';
    this.#track(
      run,
      this.#ended(run, finisher.dismiss(run, { status: 'interrupted', reason, interrupts: [] })),
    );
  }

  #due(run: LiveRun): void {
    this.#delayed.delete(run.row.run_id);
    this.#later.remove(run);
    // A question may have been asked meanwhile.
    run.may_be_interrupted = run.task === undefined;
    this.add(run);
  }

  #begin(run: LiveRun): void {
    if (!run.may_be_interrupted || run.row.kwargs.resume !== undefined)
      this.#track(run, this.#options.driver.drive(run));
    else if (run.task !== undefined) this.#refuse(run);
    else this.#track(run, this.#startAfterQuestion(run));
  }

  /** Drives a run of the LangGraph API on a thread with an open question: it continues the task that asked. */
  async #startAfterQuestion(run: LiveRun): Promise<DriveResult> {
    const { stored, driver, log } = this.#options;
    if (run.cancel === undefined)
      await stored
        .continueTask(run)
        .catch((error: unknown) =>
          log.error('the task of a question could not be continued', { run_id: run.row.run_id, error }),
        );
    this.#live.add(run);
    return driver.drive(run);
  }

  /** Refuses a run that waited behind one which now asks something: it would discard the question. */
  #refuse(run: LiveRun): void {
    const message =
      'The task before this one in the context asks for an answer. Answer it with its taskId, then send this message again.';
    const error = { name: 'Rejected', message, state: 'rejected' } as const;
    const refused = this.#options.finisher.dismiss(run, { status: 'error', error, interrupts: [] });
    this.#track(run, this.#ended(run, refused), true);
  }

  async #ended(run: LiveRun, ended: Promise<void>): Promise<DriveResult> {
    try {
      await ended;
      return 'finished';
    } catch (error) {
      this.#options.log.error('the end of a run could not be committed', { run_id: run.row.run_id, error });
      return 'unconfirmed';
    }
  }

  // oxlint-disable-next-line roadstead/two-positional -- a run, how it goes, and what stood before it
  #track(run: LiveRun, driven: Promise<DriveResult>, question = false): void {
    const settled: Promise<void> = driven.then(async (end) => {
      if ((end === 'finished' || end === 'interrupted') && run.cancel?.action === 'rollback')
        await this.#options.stored
          .rollBack(run.row)
          .catch((error: unknown) =>
            this.#options.log.error('a run could not be rolled back', { run_id: run.row.run_id, error }),
          );
      run.slot?.[Symbol.dispose]();
      this.#live.delete(run);
      const next = this.#queues.remove(run);
      if (end === 'unconfirmed') this.#options.suspicions.raise();
      if (next !== undefined) await this.#beginNext(next, end === 'interrupted' || question);
      // It may have been adopted meanwhile.
      if (this.#driving.get(run.row.run_id)?.run === run) this.#driving.delete(run.row.run_id);
    });
    this.#driving.set(run.row.run_id, { run, settled });
  }

  async #beginNext(next: LiveRun, question: boolean): Promise<void> {
    next.may_be_interrupted = question;
    if (!question) await this.#lookForCheckpoint(next);
    this.#begin(next);
  }

  async #lookForCheckpoint(run: LiveRun): Promise<void> {
    if (run.checkpoint === 'inherited') return;
    if (await this.#options.stored.hasCheckpoint(run.row.thread_id).catch(() => true))
      run.checkpoint = 'inherited';
  }
}
