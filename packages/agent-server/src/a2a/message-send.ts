import { isSettled } from '../tasks/task.ts';
import { inScope } from './history-scope.ts';
import { deliver } from './message-delivery.ts';
import type { MethodCall } from './method-call.ts';
import { tailorOf } from './output-modes.ts';
import { presentResult } from './presentation-rules.ts';

/** `message/send`, `SendMessage`: answers with the task once it has settled, or at once where the client asks for that. */
export async function sendMessage(call: MethodCall): Promise<object> {
  const { request, task } = await deliver(call, { stream: false });
  const waits = request.wait && !call.notification && !isSettled(task.status.state);
  const answered = waits ? await call.engine.settled(task.id, call.signal) : task;
  const scoped = await inScope(call, answered, request);
  const shown = presentResult(scoped, request.history_length);
  const fitted = tailorOf({ accepted: request.accepted_output_modes, a2ui: call.a2ui }).task(shown);
  const isNew = request.incoming.task_id === undefined && request.wait;
  return (isNew ? call.codec.encodeAnswer(fitted) : undefined) ?? call.codec.encodeSendResult(fitted);
}
