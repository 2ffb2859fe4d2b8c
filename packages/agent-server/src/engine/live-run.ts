import type { Artifact, TaskMessage } from '../tasks/task.ts';
import type { Progress } from './run-rules.ts';
import type { RunRow } from './records.ts';

/** An unfinished run in memory: its row, and what its host has reported since. */
export interface LiveRun {
  row: RunRow;
  readonly context_id: string;
  readonly history: readonly TaskMessage[];
  progress: Progress;
  /** What earlier runs of the task answered; a new attempt does not change it. */
  readonly answered_before: readonly Artifact[];
  /** Whether the thread has a checkpoint for the run to begin from. */
  has_checkpoint: boolean;
  /** Whether this run wrote one. */
  wrote_checkpoint: boolean;
  /** A write that the database refused: the run can't end well any more. */
  broken: unknown;
  /** What it asked when it ended. */
  asked: readonly { readonly id: string; readonly value: unknown }[];
  /** Attempts whose host died. */
  failures: number;
  /** What it takes of the engine's room, until its end. */
  place: Disposable | undefined;
}

/** Runs of one thread in order: the first works, the others wait for it. */
export class ThreadQueues {
  readonly #queues = new Map<string, LiveRun[]>();

  /** Whether the run is the thread's first, so that it may begin. */
  push(run: LiveRun): boolean {
    const queue = this.#queues.get(run.row.thread_id) ?? [];
    queue.push(run);
    this.#queues.set(run.row.thread_id, queue);
    return queue.length === 1;
  }

  has({ thread_id, run_id }: Pick<RunRow, 'thread_id' | 'run_id'>): boolean {
    return this.#queues.get(thread_id)?.some((run) => run.row.run_id === run_id) === true;
  }

  isBusy(thread_id: string): boolean {
    return this.#queues.has(thread_id);
  }

  /** Takes a run out; answers the run that may begin by that. */
  remove(run: LiveRun): LiveRun | undefined {
    const queue = this.#queues.get(run.row.thread_id);
    if (queue === undefined) return undefined;
    const at = queue.indexOf(run);
    if (at >= 0) queue.splice(at, 1);
    if (queue.length === 0) this.#queues.delete(run.row.thread_id);
    return at === 0 ? queue[0] : undefined;
  }
}
