import type { RunInterrupt } from '@roadstead/contracts/host';
import type { EngineLife } from '../runs/engine-life.ts';
import type { LiveRun } from '../runs/live-run.ts';
import type { CancelRecord, RunRow } from '../runs/records.ts';
import { listAskedBefore, listRolledBack, rollBack } from '../runs/rollback-store.ts';
import { findCancel, findThread } from '../runs/run-store.ts';
import type { RunTasks } from './engine-options.ts';
import type { Suspicions } from './suspicions.ts';

export interface StoredRunsOptions {
  readonly life: EngineLife;
  readonly tasks: RunTasks;
  readonly suspicions: Suspicions;
}

/** The runs of an engine as the database has them, for those who decide what becomes of live ones. */
export class StoredRuns {
  readonly #options: StoredRunsOptions;

  constructor(options: StoredRunsOptions) {
    this.#options = options;
  }

  /** The questions of a run's thread before the run answered. */
  askedBefore({ run_id }: RunRow): Promise<readonly RunInterrupt[]> {
    return listAskedBefore(this.#options.life.db, run_id);
  }

  /** How a client wants the run to end; undefined where this attempt may not end it. */
  findCancel(row: RunRow): Promise<CancelRecord | null | undefined> {
    const { life } = this.#options;
    return life.retry(() => findCancel(life.db, row));
  }

  /** Whether a thread has a checkpoint by now. */
  async hasCheckpoint(thread_id: string): Promise<boolean> {
    return (await findThread(this.#options.life.db, thread_id))?.has_checkpoint ?? true;
  }

  /** Gives a run the task whose question is open on its thread, where there is one. */
  async continueTask(run: LiveRun): Promise<void> {
    const { life, tasks } = this.#options;
    const { db, epoch } = life;
    const task = await life.retry(() => tasks.continue(db, { run: run.row, epoch }));
    if (task === undefined) return;
    const { task_id, seq } = task.row;
    run.row = { ...run.row, task_id, seq_before: seq, plain: true };
    run.task = task;
    run.seq = seq;
  }

  /**
   * Removes what a run that was rolled back wrote. It waits out an outage of the database: the next run of the thread
   * must not build on what is rolled back.
   */
  async rollBack({ run_id, thread_id }: Pick<RunRow, 'run_id' | 'thread_id'>): Promise<void> {
    const { life, tasks } = this.#options;
    const { db, epoch } = life;
    const task_id = await life.retry(() => rollBack(db, { run_id, thread_id, epoch }));
    if (task_id !== undefined) tasks.askedAgain(task_id);
  }

  /** Looks for a run that is to end and is not here: it has ended meanwhile, or is found later and ended then. */
  async findMissing(): Promise<void> {
    this.#options.suspicions.raise();
    await this.rollBackEnded();
  }

  /** Finishes rollbacks of runs whose end was committed but whose removal was not. */
  async rollBackEnded(): Promise<void> {
    for (const row of await listRolledBack(this.#options.life.db)) await this.rollBack(row);
  }
}
