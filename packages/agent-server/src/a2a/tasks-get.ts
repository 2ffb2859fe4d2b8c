import type { Task } from '../tasks/task.ts';
import { fieldFault, taskNotFound } from './a2a-fault.ts';
import { inScope } from './history-scope.ts';
import type { MethodCall } from './method-call.ts';
import { tailorOf } from './output-modes.ts';
import { presentResult } from './presentation-rules.ts';

/** `tasks/get`, `GetTask`. */
export async function getTask(call: MethodCall): Promise<object> {
  const request = call.codec.decodeGet(call.params);
  const task = await readTask(call, request.task_id);
  if (request.context_id !== undefined && request.context_id !== task.context_id)
    throw fieldFault('contextId', 'is not the context of the task');
  const scoped = await inScope(call, task, request);
  return call.codec.encodeTask(tailorOf(call).task(presentResult(scoped, request.history_length)));
}

/**
 * A task of the caller; another caller's is as if it did not exist.
 * @throws A2aFault `task_not_found`
 */
export async function readTask({ engine, owner }: MethodCall, task_id: string): Promise<Task> {
  const task = await engine.task(owner, task_id);
  if (task === undefined) throw taskNotFound();
  return task;
}
