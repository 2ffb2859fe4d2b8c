import { Conversation, type Message, saidIn, type Side } from '@roadstead/contracts/messages';
import { bounded, MAX_CHARS } from '../paging/shown-item-rules.ts';
import { cutText, type ShownText } from '../paging/text-cut-rules.ts';
import { type Call, callsOf, contentText, toolResultText } from './message-content-codec.ts';

/** A root run in the form of `GET /v2/threads/{id}/traces`. */
export interface Turn extends TurnPlace {
  readonly inputs?: unknown;
  readonly outputs?: unknown;
}

interface TurnPlace {
  readonly trace_id: string;
  readonly start_time?: string | undefined;
}

/** A message of `get_thread_history`. */
export interface ThreadMessage extends Omit<ShownMessage, 'id'> {
  readonly run_id: string;
  readonly trace_id: string;
  /** The start of its turn, ISO 8601. */
  readonly start_time: string | null;
}

/** Builds the conversation of a thread from its turns. */
export class ThreadConversation {
  readonly #conversation = new Conversation<ShownMessage, TurnPlace>();

  get isFull(): boolean {
    return this.#conversation.isFull;
  }

  /** Adds the new messages of the next turn; yields where others may have their turn. */
  *add({ inputs, outputs, ...place }: Turn): Generator<void, void, void> {
    yield* this.#conversation.add({
      inputs: shownMessagesIn(inputs, 'inputs'),
      outputs: shownMessagesIn(outputs, 'outputs'),
      place,
    });
  }

  get messages(): ThreadMessage[] {
    return this.#conversation.entries.map(({ message, place: { trace_id, start_time } }) => {
      const { id: _id, ...said } = message;
      return { ...said, run_id: trace_id, trace_id, start_time: start_time ?? null };
    });
  }
}

/** A message prepared for display: its text, and the names of the tools that are called. */
interface ShownMessage extends Omit<Message, 'content' | 'tool_calls' | 'tool_call_id'> {
  readonly content: ShownText;
  readonly tool_calls?: readonly Call[];
}

/** The messages of one side of a turn, in order. */
function* shownMessagesIn(payload: unknown, side: Side): Generator<ShownMessage, void, void> {
  for (const said of saidIn(payload, side))
    yield 'value' in said ? { role: said.role, content: textOf(said.value) } : shownMessage(said);
}

function shownMessage({ id, role, name, content, ...message }: Message): ShownMessage {
  const calls = callsOf({ content, ...message });
  const result = role === 'user' ? toolResultText(content) : undefined;
  return {
    ...(id === undefined ? {} : { id }),
    role: result === undefined ? role : 'tool',
    content: cutText(result ?? contentText(content), MAX_CHARS),
    ...(name === undefined ? {} : { name }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

const textOf = (value: unknown) =>
  typeof value === 'string' ? cutText(value, MAX_CHARS) : JSON.stringify(bounded(value));
