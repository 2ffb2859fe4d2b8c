import type { HostEvent } from '@roadstead/contracts/host';
import type { AnyMessage } from '../values/langgraph-types.ts';
import type { Room } from './emitter.ts';
import { idOf, isMessage, textOf, wordOf } from '../values/messages.ts';

/**
 * Hears the tokens of chat models, as one of LangChain's callback handlers. LangGraph's own stream mode `messages` does
 * the same and more, but it gives all messages without an id that a node returns *the same* id, of which the state then
 * keeps only the last.
 */
export interface ChunkHandler {
  readonly name: string;
  /** Called in step with the model, not in the background: pieces come before what the node returns. */
  readonly awaitHandlers: true;
  /** Makes models stream where the user's code only invokes them. */
  readonly lc_prefer_streaming: true;
  handleChatModelStart(
    model: unknown,
    messages: unknown,
    run_id: string,
    parent: unknown,
    extra: unknown,
    tags?: readonly string[],
    metadata?: Readonly<Record<string, unknown>>,
  ): void;
  handleLLMNewToken(
    token: unknown,
    index: unknown,
    run_id: string,
    parent?: unknown,
    tags?: unknown,
    fields?: { readonly chunk?: { readonly message?: unknown } },
  ): Room;
  handleLLMEnd(output: unknown, run_id: string): void;
  handleLLMError(error: unknown, run_id: string): void;
}

interface SpeakingModel {
  /** The id of the message that the model will return. */
  message_id: string | undefined;
}

/** Emits the pieces of what models say in the graph's top level; subgraphs and silenced models say nothing. */
export function createChunkHandler(emit: (events: readonly HostEvent[]) => Room): ChunkHandler {
  const speaking = new Map<string, SpeakingModel>();
  const say = (run_id: string, message: AnyMessage | undefined, text: string): Room => {
    const model = speaking.get(run_id);
    if (model === undefined || text === '') return undefined;
    model.message_id ??= typeof message?.id === 'string' ? idOf(message) : `run-${run_id}`;
    return emit([{ kind: 'chunk', message_id: model.message_id, text }]);
  };
  return {
    name: 'roadstead-chunks',
    awaitHandlers: true,
    lc_prefer_streaming: true,
    handleChatModelStart(_model, _messages, run_id, _parent, _extra, tags = [], metadata = {}) {
      const namespace = metadata['langgraph_checkpoint_ns'] ?? metadata['checkpoint_ns'];
      const silenced = tags.includes('nostream') || tags.includes('langsmith:nostream');
      if (typeof namespace !== 'string' || namespace.includes('|') || silenced) return;
      speaking.set(run_id, { message_id: undefined });
    },
    handleLLMNewToken(token, _index, run_id, _parent, _tags, fields) {
      const message = fields?.chunk?.message;
      return isMessage(message)
        ? say(run_id, message, textOf(message.content))
        : say(run_id, undefined, wordOf(token));
    },
    handleLLMEnd(_output, run_id) {
      speaking.delete(run_id);
    },
    handleLLMError(_error, run_id) {
      speaking.delete(run_id);
    },
  };
}
