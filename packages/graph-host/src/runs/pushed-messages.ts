import type { Room } from './emitter.ts';
import type { AnyMessage } from '../values/langgraph-types.ts';

/**
 * Messages that a node pushes before it returns. LangGraph's `pushMessage` hands each to the callback handler of this name, which
 * LangGraph adds where messages are streamed; where they are not this one stands in its place.
 */
export const pushedMessages = (tell: (message: AnyMessage) => Room) =>
  ({
    name: 'StreamMessagesHandler',
    awaitHandlers: true,
    _emit(
      [namespace]: readonly [namespace: readonly string[], metadata: unknown],
      message: AnyMessage,
    ): void {
      if (namespace.length < 2) void tell(message);
    },
  }) as const;

/**
 * The message of a part of LangGraph's stream if it was pushed in the graph's top level: what models say and nodes return has in its
 * metadata who gave it.
 */
export function pushedMessage(payload: unknown): AnyMessage | undefined {
  const [message, metadata] = payload as readonly [AnyMessage, Readonly<Record<string, unknown>> | undefined];
  const namespace = metadata?.['langgraph_checkpoint_ns'];
  const is_pushed = metadata !== undefined && !('name' in metadata) && !('tags' in metadata);
  return is_pushed && typeof namespace === 'string' && !namespace.includes('|') ? message : undefined;
}
