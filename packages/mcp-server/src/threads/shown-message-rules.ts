import { type Message, saidIn, type Side } from '@roadstead/contracts/messages';
import { bounded, MAX_CHARS } from '../paging/shown-item-rules.ts';
import { cutText, type ShownText } from '../paging/text-cut-rules.ts';
import { type Call, callsOf, contentText, toolResultText } from './message-content-codec.ts';

/** Prepares messages for display: their text, and the names of the tools that are called. */

export interface ShownMessage extends Omit<Message, 'content' | 'tool_calls' | 'tool_call_id'> {
  readonly content: ShownText;
  readonly tool_calls?: readonly Call[];
}

/** The messages of one side of a turn, in order. */
export function* shownMessagesIn(payload: unknown, side: Side): Generator<ShownMessage, void, void> {
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
