import type { CancelOptions } from './runs.ts';

/**
 * The reasons why runs are cancelled, as those who wait for a run, its thread, its trace and the log state them. Pure.
 */
export const cancelReasons = {
  asked: 'It was cancelled by a call of the API.',
  asked_with_others: 'It was cancelled with others by a call of the API.',
  disconnected: 'Its client went away, and had said to cancel it then.',
  assistant_deleted: 'Its assistant was deleted.',
  thread_deleted: 'Its thread was deleted.',
  batch_refused: 'Another run of its batch could not begin.',
  task_cancelled: 'Its client cancelled it.',
  tool_left: 'The caller of the tool went away.',
} as const;

/** The reason for a run that had not ended when the next run of its thread came. */
export function supersededBy(run_id: string, action: CancelOptions['action']): string {
  return `It gave way to run ${run_id}, which ${action === 'interrupt' ? 'interrupts' : 'rolls back'} what is before it.`;
}
