import { applyEvent, taskBeforeEvents } from '../../tasks/task-replay.ts';
import type { Task, TaskState } from '../../tasks/task.ts';
import { A2aFault } from '../rpc/a2a-fault.ts';
import type { MethodCall, StreamItem } from './method-call.ts';
import type { Tailor } from '../output-modes.ts';

export interface TaskStreamOptions {
  /** The snapshot that the stream begins with. */
  readonly task: Task;
  readonly tailor: Tailor;
  /** The states that the stream ends at. */
  readonly ends: (state: TaskState) => boolean;
}

/** The present task, then its events, without those that the snapshot already holds. */
export async function* streamOf(
  { codec, engine, signal, onBehind }: MethodCall,
  { task, tailor, ends }: TaskStreamOptions,
): AsyncGenerator<StreamItem> {
  const { id, seq, status } = task;
  yield { seq, result: codec.encodeSendResult(tailor.task(task)) };
  if (ends(status.state)) {
    const last = codec.closes_with_status ? tailor.event({ seq, kind: 'status', status }) : undefined;
    if (last !== undefined) yield { seq, result: codec.encodeEvent(task, last) };
    return;
  }
  for await (const event of engine.events(id, seq, { signal, onBehind })) {
    const shown = tailor.event(event);
    if (shown !== undefined) yield { seq: event.seq, result: codec.encodeEvent(task, shown) };
    if (event.kind === 'status' && ends(event.status.state)) return;
  }
  throw new A2aFault('internal', 'The stream ended before the task; the task goes on, so ask for it.');
}

/**
 * The task as a reader knows it that names its last event in `Last-Event-ID`: a stream that begins with it continues
 * from there, and a reader that continues from its own copy gets nothing twice. The present task where no event is
 * named.
 */
export async function snapshotFor({ engine, last_event_id, signal }: MethodCall, task: Task): Promise<Task> {
  if (last_event_id === undefined || last_event_id >= task.seq) return task;
  let known = taskBeforeEvents(task);
  if (last_event_id <= known.seq) return known;
  for await (const event of engine.events(task.id, known.seq, { signal })) {
    if (event.seq > last_event_id) break;
    known = applyEvent(known, event);
    if (event.seq === last_event_id) break;
  }
  return known;
}
