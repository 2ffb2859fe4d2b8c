import { isSettled } from '../../tasks/task.ts';
import { inScope } from '../extensions/history-scope.ts';
import { deliver } from './message-delivery.ts';
import type { MethodCall, StreamItem } from './method-call.ts';
import { tailorOf } from '../output-modes.ts';
import { presentResult, presentSnapshot } from './presentation-rules.ts';
import { snapshotFor, streamOf } from './task-stream.ts';

/** The methods that bring a message, in both versions. */

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

/**
 * `message/stream`, `SendStreamingMessage`: the committed task, then its events until it has settled. Errors in the
 * message are thrown before the stream begins. The same message again resumes the stream.
 */
export async function streamMessage(call: MethodCall): Promise<AsyncIterable<StreamItem>> {
  const { request, task } = await deliver(call, { stream: true });
  const tailor = tailorOf({ accepted: request.accepted_output_modes, a2ui: call.a2ui });
  const scoped = await inScope(call, await snapshotFor(call, task), request);
  const known = presentSnapshot(scoped, request.history_length);
  return streamOf(call, { task: known, tailor, ends: isSettled });
}
