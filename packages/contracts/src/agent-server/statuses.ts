import { z } from 'zod';
import type { Flow } from '../values/status-flow.ts';

/** States of runs, threads and tasks, and what may follow what. */

/**
 * `interrupted` is a run that was cancelled or superseded; one that ends with a question of its graph is a `success` whose
 * thread is `interrupted`, as with the original.
 */
export const RunStatus = z.enum(['pending', 'running', 'success', 'error', 'timeout', 'interrupted']);
export type RunStatus = z.output<typeof RunStatus>;

/** A run that a new attempt takes over is `pending` again. */
export const runFlow: Flow<RunStatus> = {
  pending: ['running', 'success', 'error', 'timeout', 'interrupted'],
  running: ['pending', 'success', 'error', 'timeout', 'interrupted'],
  success: [],
  error: [],
  timeout: [],
  interrupted: [],
};

/** `busy` is never written: a thread is busy as long as it has a run that has not ended. */
export const ThreadStatus = z.enum(['idle', 'busy', 'interrupted', 'error']);
export type ThreadStatus = z.output<typeof ThreadStatus>;

export const TaskState = z.enum([
  'submitted',
  'working',
  'completed',
  'failed',
  'canceled',
  'rejected',
  'input-required',
  'auth-required',
]);
export type TaskState = z.output<typeof TaskState>;

export const taskFlow: Flow<TaskState> = {
  submitted: ['working', 'completed', 'failed', 'canceled', 'rejected', 'input-required', 'auth-required'],
  working: ['completed', 'failed', 'canceled', 'rejected', 'input-required', 'auth-required'],
  'input-required': ['working', 'failed', 'canceled', 'rejected'],
  'auth-required': ['working', 'failed', 'canceled', 'rejected'],
  completed: [],
  failed: [],
  canceled: [],
  rejected: [],
};
