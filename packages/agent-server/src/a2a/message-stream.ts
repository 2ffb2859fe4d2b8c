import { isSettled, type Task } from '../tasks/task.ts';
import { A2aFault } from './a2a-fault.ts';
import { deliver } from './message-delivery.ts';
import type { MethodCall, StreamItem } from './method-call.ts';
import { type Tailor, tailorOf } from './output-modes.ts';
import { presentSnapshot } from './presentation-rules.ts';

/**
 * `message/stream`, `SendStreamingMessage`: the committed task, then its events until it has settled. What is wrong
 * with the message is thrown before the stream begins.
 */
export async function streamMessage(call: MethodCall): Promise<AsyncIterable<StreamItem>> {
  const { request, task } = await deliver(call, { stream: true });
  const tailor = tailorOf(request.accepted_output_modes);
  return itemsOf(call, tailor.task(presentSnapshot(task, request.history_length)), tailor);
}

async function* itemsOf(
  { codec, engine, signal }: MethodCall,
  task: Task,
  tailor: Tailor,
): AsyncGenerator<StreamItem> {
  const { id, seq, status } = task;
  yield { seq, result: codec.encodeSendResult(task) };
  if (isSettled(status.state)) {
    if (codec.closes_with_status)
      yield { seq, result: codec.encodeEvent(task, { seq, kind: 'status', status }) };
    return;
  }
  for await (const event of engine.events(id, seq, signal)) {
    const shown = tailor.event(event);
    if (shown !== undefined) yield { seq: event.seq, result: codec.encodeEvent(task, shown) };
    if (event.kind === 'status' && isSettled(event.status.state)) return;
  }
  throw new A2aFault('internal', 'The stream ended before the task; the task goes on, so ask for it.');
}
