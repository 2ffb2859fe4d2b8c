import { messagesIn, type Message, type Side, speakers } from '@roadstead/contracts/messages';
import { bounded, MAX_CHARS } from '../paging/shown-item-rules.ts';
import { cutText, type ShownText } from '../paging/text-cut-rules.ts';
import { type Call, callsOf, contentText, toolResultText } from './message-content-codec.ts';

/** Messages as they are shown: what is said as text, the tools that are called by name. */

export interface ShownMessage extends Omit<Message, 'content' | 'tool_calls' | 'tool_call_id'> {
  readonly content: ShownText;
  readonly tool_calls?: readonly Call[];
}

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** More questions than a graph asks at once. */
const MAX_QUESTIONS = 1000;

/** The messages of a payload, in order. One without any becomes one message, its main text or else its JSON. */
export function* shownMessagesIn(payload: unknown, side: Side): Generator<ShownMessage, void, void> {
  const { __interrupt__: interrupts, ...fields } = isFields(payload) ? payload : {};
  const body = isFields(payload) ? fields : payload;
  const messages = messagesIn(body, side);
  if (messages === undefined) yield* plainMessage(body, side);
  else for (const message of messages) yield shownMessage(message);
  yield* questionsIn(interrupts);
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

const mainTexts = {
  inputs: ['input', 'question', 'query', 'prompt', 'text', 'content'],
  outputs: ['output', 'answer', 'response', 'result', 'text', 'content'],
} as const;

/** Whether a person finds something said in it beside its JSON. */
export function isReadable(payload: unknown, side: Side): boolean {
  if (typeof payload === 'string') return payload !== '';
  if (!isFields(payload)) return false;
  if (payload['__interrupt__'] !== undefined || payload['resume'] !== undefined) return true;
  return mainTexts[side].some((name) => typeof payload[name] === 'string');
}

/** What an agent without messages was given or gave. A resumed graph was given the answer to its question. */
function plainMessage(payload: unknown, side: Side): ShownMessage[] {
  const role = speakers[side];
  if (payload === null || payload === undefined || payload === '') return [];
  if (!isFields(payload)) return [{ role, content: textOf(payload) }];
  if (payload['lg_name'] === 'Command' || payload['resume'] !== undefined)
    return payload['resume'] === undefined || payload['resume'] === null
      ? []
      : [{ role, content: textOf(payload['resume']) }];
  const main = mainTexts[side].map((name) => payload[name]).find((value) => typeof value === 'string');
  if (main !== undefined) return [{ role, content: textOf(main) }];
  return Object.keys(payload).length === 0 ? [] : [{ role, content: textOf(payload) }];
}

/** What an interrupted graph asked the person. */
function questionsIn(interrupts: unknown): ShownMessage[] {
  if (!Array.isArray(interrupts)) return [];
  return interrupts
    .slice(0, MAX_QUESTIONS)
    .filter(isFields)
    .filter(({ value }) => value !== undefined && value !== null)
    .map(({ value }) => ({ role: 'assistant', content: textOf(value) }));
}

const textOf = (value: unknown) =>
  typeof value === 'string' ? cutText(value, MAX_CHARS) : JSON.stringify(bounded(value));
