import { isSettled, isTerminal } from '../tasks/task.ts';
import { A2aFault } from './a2a-fault.ts';
import type { MethodCall, StreamItem } from './method-call.ts';
import { tailorOf } from './output-modes.ts';
import { snapshotFor, streamOf } from './task-stream.ts';
import { readTask } from './tasks-get.ts';

/**
 * `tasks/resubscribe`, `SubscribeToTask`: the task as it stands, or as it stood at `Last-Event-ID`, then what follows. In
 * 1.0 the stream of a task that asks something waits for what comes of the answer, and only who missed events of a task
 * that has ended is told them.
 */
export async function subscribeToTask(call: MethodCall): Promise<AsyncIterable<StreamItem>> {
  const { codec, last_event_id } = call;
  const { task_id } = codec.decodeTaskId(call.params);
  const task = await readTask(call, task_id);
  const has_all = last_event_id === undefined || last_event_id >= task.seq;
  if (codec.version === '1.0' && isTerminal(task.status.state) && has_all)
    throw new A2aFault('unsupported_operation', 'The task has ended: nothing follows; ask for the task.');
  const ends = codec.version === '1.0' ? isTerminal : isSettled;
  return streamOf(call, { task: await snapshotFor(call, task), tailor: tailorOf(call), ends });
}
