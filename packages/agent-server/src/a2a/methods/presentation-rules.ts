import type { Task, TaskMessage } from '../../tasks/task.ts';

/** How a task is shown to a caller, whatever the protocol version. */

/** The newest artifact first, the history as long as asked for. */
export function presentResult(task: Task, history_length: number | undefined): Task {
  return { ...presentSnapshot(task, history_length), artifacts: task.artifacts.toReversed() };
}

/** As a stream begins: artifacts in the order of making, since later events go on with them. */
export function presentSnapshot(task: Task, history_length: number | undefined): Task {
  return { ...task, history: newest(task.history, history_length) };
}

function newest(history: readonly TaskMessage[], count: number | undefined): readonly TaskMessage[] {
  if (count === undefined) return history;
  return count === 0 ? [] : history.slice(-count);
}
