import { isSettled } from '../tasks/task.ts';
import { inScope } from './history-scope.ts';
import { deliver } from './message-delivery.ts';
import type { MethodCall, StreamItem } from './method-call.ts';
import { tailorOf } from './output-modes.ts';
import { presentSnapshot } from './presentation-rules.ts';
import { snapshotFor, streamOf } from './task-stream.ts';

/**
 * `message/stream`, `SendStreamingMessage`: the committed task, then its events until it has settled. What is wrong
 * with the message is thrown before the stream begins. The same message again takes the stream up.
 */
export async function streamMessage(call: MethodCall): Promise<AsyncIterable<StreamItem>> {
  const { request, task } = await deliver(call, { stream: true });
  const tailor = tailorOf({ accepted: request.accepted_output_modes, a2ui: call.a2ui });
  const scoped = await inScope(call, await snapshotFor(call, task), request);
  const known = presentSnapshot(scoped, request.history_length);
  return streamOf(call, { task: known, tailor, ends: isSettled });
}
