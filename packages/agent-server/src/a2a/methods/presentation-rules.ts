import type { Task, TaskMessage } from '../../tasks/task.ts';

/** The views of a task for callers, in any protocol version. */

/** The newest artifact comes first; the history has the requested length. */
export function presentResult(task: Task, history_length: number | undefined): Task {
  return { ...presentSnapshot(task, history_length), artifacts: task.artifacts.toReversed() };
}

/** The first item of a stream: artifacts in the order of their making, since later events append to them. */
export function presentSnapshot(task: Task, history_length: number | undefined): Task {
  return { ...task, history: newest(task.history, history_length) };
}

function newest(history: readonly TaskMessage[], count: number | undefined): readonly TaskMessage[] {
  if (count === undefined) return history;
  return count === 0 ? [] : history.slice(-count);
}
