import type { LiveRun } from './live-run.ts';

/** The unfinished runs in an engine's memory, by their ids and by the ids of the tasks that they work at. */
export class LiveRuns {
  readonly #runs = new Map<string, LiveRun>();
  readonly #ofTasks = new Map<string, LiveRun>();

  get all(): readonly LiveRun[] {
    return [...this.#runs.values()];
  }

  get isEmpty(): boolean {
    return this.#runs.size === 0;
  }

  get(run_id: string): LiveRun | undefined {
    return this.#runs.get(run_id);
  }

  ofTask(task_id: string): LiveRun | undefined {
    return this.#ofTasks.get(task_id);
  }

  /** Adds a run; called again once it has a task. */
  add(run: LiveRun): void {
    const { run_id, task_id } = run.row;
    this.#runs.set(run_id, run);
    if (task_id !== null) this.#ofTasks.set(task_id, run);
  }

  /** Removes a run, but not a newer one with its id or its task. */
  delete(run: LiveRun): void {
    const { run_id, task_id } = run.row;
    if (this.#runs.get(run_id) === run) this.#runs.delete(run_id);
    if (task_id !== null && this.#ofTasks.get(task_id) === run) this.#ofTasks.delete(task_id);
  }
}
