import type { Part, Task, TaskState } from '../tasks/task.ts';

/** A task in a state, whose history is one message with these parts. */
export function taskOf(state: TaskState, parts: readonly Part[] = []): Task {
  return {
    id: 't',
    context_id: 'c',
    assistant_id: 'x',
    status: { state, at: '2026-01-02T03:04:05.678Z' },
    history: parts.length === 0 ? [] : [{ message_id: 'm', role: 'user', parts }],
    artifacts: [],
    seq: 1,
  };
}
