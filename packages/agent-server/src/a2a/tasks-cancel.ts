import { isTerminal } from '../tasks/task.ts';
import { A2aFault, taskNotFound } from './a2a-fault.ts';
import type { MethodCall } from './method-call.ts';
import { tailorOf } from './output-modes.ts';
import { presentResult } from './presentation-rules.ts';
import { readTask } from './tasks-get.ts';

/** `tasks/cancel`, `CancelTask`: answers once the task has ended; who asks at the same moment is answered the same. */
export async function cancelTask(call: MethodCall): Promise<object> {
  const { engine, owner, codec, signal } = call;
  const { task_id } = codec.decodeTaskId(call.params);
  const task = await readTask(call, task_id);
  if (isTerminal(task.status.state)) throw notCancelable();
  const ended = await engine
    .cancel(owner, task_id, signal)
    // A client that has gone meanwhile has cancelled it all the same.
    .finally(() => call.push?.wake(task_id));
  if (ended === undefined) throw taskNotFound();
  if (ended.status.state !== 'canceled') throw notCancelable();
  return codec.encodeTask(tailorOf(call).task(presentResult(ended, undefined)));
}

const notCancelable = () => new A2aFault('task_not_cancelable', 'The task has ended already.');
