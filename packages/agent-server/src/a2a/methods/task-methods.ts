import { isSettled, isTerminal, type Task } from '../../tasks/task.ts';
import { A2aFault, fieldFault, taskNotFound } from '../rpc/a2a-fault.ts';
import { allInScope, inScope, SMALL_PAGE } from '../extensions/history-scope.ts';
import { decodeList, encodePage } from '../codecs/list-codec.ts';
import type { MethodCall, StreamItem } from './method-call.ts';
import { tailorOf } from '../output-modes.ts';
import { presentResult, presentSnapshot } from './presentation-rules.ts';
import { snapshotFor, streamOf } from './task-stream.ts';

/** The methods of tasks, in both versions. */

/** `tasks/get`, `GetTask`. */
export async function getTask(call: MethodCall): Promise<object> {
  const request = call.codec.decodeGet(call.params);
  const task = await readTask(call, request.task_id);
  if (request.context_id !== undefined && request.context_id !== task.context_id)
    throw fieldFault('contextId', 'is not the context of the task');
  const scoped = await inScope(call, task, request);
  return call.codec.encodeTask(tailorOf(call).task(presentResult(scoped, request.history_length)));
}

/** `ListTasks`, which 1.0 alone has: a page of the caller's tasks, those with the newest status first. */
export async function listTasks(call: MethodCall): Promise<object> {
  const { engine, owner, codec, params, header_scope } = call;
  const { history_length, history_scope = header_scope, ...asked } = decodeList(params);
  const is_large = history_scope === 'context' && history_length !== 0;
  const query = is_large ? { ...asked, limit: Math.min(asked.limit, SMALL_PAGE) } : asked;
  const page = await engine.list(owner, { ...query, with_history: history_length !== 0 });
  const tailor = tailorOf(call);
  const scoped = await allInScope(call, page.tasks, { history_scope, history_length });
  const tasks = scoped.map((task) => tailor.task(presentSnapshot(task, history_length)));
  return encodePage({ ...page, tasks }, { query, encodeTask: (task) => codec.encodeTask(task) });
}

/** `tasks/cancel`, `CancelTask`: answers once the task has ended; concurrent calls get the same answer. */
export async function cancelTask(call: MethodCall): Promise<object> {
  const { engine, owner, codec, signal } = call;
  const { task_id } = codec.decodeTaskId(call.params);
  const task = await readTask(call, task_id);
  if (isTerminal(task.status.state)) throw notCancelable();
  const ended = await engine
    .cancel(owner, task_id, signal)
    // The task is cancelled even if its client has gone meanwhile.
    .finally(() => call.push?.wake(task_id));
  if (ended === undefined) throw taskNotFound();
  if (ended.status.state !== 'canceled') throw notCancelable();
  return codec.encodeTask(tailorOf(call).task(presentResult(ended, undefined)));
}

const notCancelable = () => new A2aFault('task_not_cancelable', 'The task has ended already.');

/**
 * `tasks/resubscribe`, `SubscribeToTask`: the present task, or the task at `Last-Event-ID`, then the events that
 * follow. In 1.0 the stream of a task that asks something waits for what the answer brings; events of an ended task go
 * only to a client that missed some.
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

/**
 * A task of the caller; another caller's task is reported as missing.
 * @throws A2aFault `task_not_found`
 */
export async function readTask({ engine, owner }: MethodCall, task_id: string): Promise<Task> {
  const task = await engine.task(owner, task_id);
  if (task === undefined) throw taskNotFound();
  return task;
}
