import { A2aFault, fieldFault } from './a2a-fault.ts';
import type { MethodCall } from './method-call.ts';
import { presentResult } from './presentation-rules.ts';

/** `tasks/get`, `GetTask`: a task of the caller; another caller's is answered as if it did not exist. */
export async function getTask(call: MethodCall): Promise<object> {
  const request = call.codec.decodeGet(call.params);
  const task = await call.engine.task(call.owner, request.task_id);
  if (task === undefined) throw new A2aFault('task_not_found', 'There is no such task.');
  if (request.context_id !== undefined && request.context_id !== task.context_id)
    throw fieldFault('contextId', 'is not the context of the task');
  return call.codec.encodeTask(presentResult(task, request.history_length));
}
