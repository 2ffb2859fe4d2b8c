import { A2aFault, faultCodes } from '../a2a/rpc/a2a-fault.ts';
import type { Part, Task, TaskState } from '../tasks/task.ts';

/** Messages and tasks for tests of rules, and the codes of faults. */

export const text = (value: string): Part => ({ kind: 'text', text: value });
export const data = (value: unknown): Part => ({ kind: 'data', data: value });
export const message = (...parts: Part[]) => ({ message_id: 'new', role: 'user', parts }) as const;

export function taskIn(state: TaskState, more: Partial<Task> = {}): Task {
  return {
    id: 't',
    context_id: 'c',
    assistant_id: 'x',
    status: { state, at: '2026-01-02T03:04:05.678Z' },
    history: [{ message_id: 'old', role: 'user', parts: [text('hi')] }],
    artifacts: [],
    seq: 4,
    ...more,
  };
}

/** The code of the fault that some work ends with. */
export function codeOf(work: () => unknown): number | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof A2aFault) return faultCodes[error.reason];
    throw error;
  }
}
