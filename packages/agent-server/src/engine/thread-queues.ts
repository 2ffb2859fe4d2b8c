import type { LiveRun } from '../runs/live-run.ts';

/** Runs of each thread in order: the first is driven, the others wait for it. */
export class ThreadQueues {
  readonly #queues = new Map<string, LiveRun[]>();

  /** Appends a run; true if it is the first of its thread, so that it may begin. */
  push(run: LiveRun): boolean {
    const queue = this.#queues.get(run.row.thread_id) ?? [];
    queue.push(run);
    this.#queues.set(run.row.thread_id, queue);
    return queue.length === 1;
  }

  isFirst(run: LiveRun): boolean {
    return this.#queues.get(run.row.thread_id)?.[0] === run;
  }

  of(thread_id: string): readonly LiveRun[] {
    return this.#queues.get(thread_id) ?? [];
  }

  /** Takes a run out; answers the run that may now begin. */
  remove(run: LiveRun): LiveRun | undefined {
    const queue = this.#queues.get(run.row.thread_id);
    if (queue === undefined) return undefined;
    const at = queue.indexOf(run);
    if (at >= 0) queue.splice(at, 1);
    if (queue.length === 0) this.#queues.delete(run.row.thread_id);
    return at === 0 ? queue[0] : undefined;
  }
}
