import type { HostEvent } from '@roadstead/contracts/host';
import type { Room } from './emitter.ts';
import { isMessage } from '../values/messages.ts';

/**
 * Knows which run of a model says which piece of a message, since several may speak at once, and when it has said all. LangGraph's
 * own stream tells neither.
 */
export interface Speakers {
  /** One of LangChain's callback handlers, which stands before LangGraph's own. */
  readonly handler: SpeakerHandler;
  /** Finds the speaker of a piece that LangGraph streamed, and what follows it. */
  heard(message: unknown): { readonly speaker?: string; readonly after: readonly HostEvent[] };
}

interface SpeakerHandler {
  readonly name: string;
  readonly awaitHandlers: true;
  handleChatModelStart(
    model: unknown,
    messages: unknown,
    run_id: string,
    parent: unknown,
    extra: unknown,
    tags?: readonly string[],
  ): void;
  handleLLMNewToken(
    token: string,
    index: unknown,
    run_id: string,
    parent?: unknown,
    tags?: unknown,
    fields?: { readonly chunk?: { readonly message?: unknown } },
  ): void;
  handleLLMEnd(output: unknown, run_id: string): Room;
  handleLLMError(error: unknown, run_id: string): Room;
}

interface SpeakingRun {
  /** Pieces that are on their way through LangGraph's stream. */
  under_way: number;
  has_spoken: boolean;
  is_over: boolean;
}

export function createSpeakers(emit: (events: readonly HostEvent[]) => Room): Speakers {
  const speaking = new Map<string, SpeakingRun>();
  const speakers = new WeakMap<object, string>();
  const end = (run_id: string): Room => {
    const run = speaking.get(run_id);
    if (run === undefined) return undefined;
    run.is_over = true;
    return emit(ended(run_id, run));
  };
  const ended = (run_id: string, { under_way, has_spoken, is_over }: SpeakingRun): HostEvent[] => {
    if (!is_over || under_way > 0) return [];
    speaking.delete(run_id);
    return has_spoken ? [{ kind: 'said', speaker: run_id }] : [];
  };
  return {
    handler: {
      name: 'roadstead-speakers',
      awaitHandlers: true,
      handleChatModelStart(_model, _messages, run_id, _parent, _extra, tags = []) {
        if (tags.includes('nostream') || tags.includes('langsmith:nostream')) return;
        speaking.set(run_id, { under_way: 0, has_spoken: false, is_over: false });
      },
      handleLLMNewToken(_token, _index, run_id, _parent, _tags, fields) {
        const run = speaking.get(run_id);
        if (run === undefined) return;
        run.under_way += 1;
        run.has_spoken = true;
        const message = fields?.chunk?.message;
        if (isMessage(message)) speakers.set(message, run_id);
      },
      handleLLMEnd: (_output, run_id) => end(run_id),
      handleLLMError: (_error, run_id) => end(run_id),
    },
    heard(message) {
      if (!isMessage(message)) return { after: [] };
      // LangGraph turns a token without a message into one that is named after its run.
      const speaker = speakers.get(message) ?? message.id?.replace(/^run-/, '') ?? '';
      const run = speaking.get(speaker);
      if (run === undefined) return speakers.has(message) ? { speaker, after: [] } : { after: [] };
      run.under_way -= 1;
      return { speaker, after: ended(speaker, run) };
    },
  };
}
