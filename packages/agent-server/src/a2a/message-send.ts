import { isSettled } from '../tasks/task.ts';
import { deliver } from './message-delivery.ts';
import type { MethodCall } from './method-call.ts';
import { tailorOf } from './output-modes.ts';
import { presentResult } from './presentation-rules.ts';

/** `message/send`, `SendMessage`: answers with the task once it has settled, or at once where the client asks for that. */
export async function sendMessage(call: MethodCall): Promise<object> {
  const { request, task } = await deliver(call, { stream: false });
  const waits = request.wait && !call.notification && !isSettled(task.status.state);
  const answered = waits ? await call.engine.settled(task.id, call.signal) : task;
  const shown = presentResult(answered, request.history_length);
  const fitted = tailorOf(request.accepted_output_modes).task(shown);
  const isNew = request.incoming.task_id === undefined && request.wait;
  return (isNew ? call.codec.encodeAnswer(fitted) : undefined) ?? call.codec.encodeSendResult(fitted);
}
