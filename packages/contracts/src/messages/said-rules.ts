import { type Message, messagesIn, type Side, speakers } from './message-rules.ts';
import { hasMessages } from './speaking-runs.ts';

/**
 * The messages of a turn, for those who show it: the messages of its run or, where a side has none, its main text, or
 * else all of it.
 */

/** A text without a message. */
export interface PlainWord {
  readonly role: string;
  readonly value: unknown;
}

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The most questions that a graph asks at once. */
const MAX_QUESTIONS = 1000;

const mainTexts = {
  inputs: ['input', 'question', 'query', 'prompt', 'text', 'content'],
  outputs: ['output', 'answer', 'response', 'result', 'text', 'content'],
} as const;

/** Whether a person finds messages in the turn itself, beside its JSON. */
export const speaks = (turn: { readonly inputs?: unknown; readonly outputs?: unknown }): boolean =>
  hasMessages(turn) || isReadable(turn.inputs, 'inputs') || isReadable(turn.outputs, 'outputs');

function isReadable(payload: unknown, side: Side): boolean {
  if (typeof payload === 'string') return payload !== '';
  if (!isFields(payload)) return false;
  if (payload['__interrupt__'] !== undefined || payload['resume'] !== undefined) return true;
  return mainTexts[side].some((name) => typeof payload[name] === 'string');
}

/** The messages of one side of a turn, in order. */
export function* saidIn(payload: unknown, side: Side): Generator<Message | PlainWord, void, void> {
  const { __interrupt__: interrupts, ...fields } = isFields(payload) ? payload : {};
  const body = isFields(payload) ? fields : payload;
  const messages = messagesIn(body, side);
  if (messages === undefined) yield* plainWordOf(body, side);
  else yield* messages;
  yield* questionsIn(interrupts);
}

/** The text that an agent without messages got or gave. A resumed graph got the answer to its question. */
function plainWordOf(payload: unknown, side: Side): PlainWord[] {
  const role = speakers[side];
  if (payload === null || payload === undefined || payload === '') return [];
  if (!isFields(payload)) return [{ role, value: payload }];
  const { resume, lg_name } = payload;
  if (lg_name === 'Command' || resume !== undefined)
    return resume === undefined || resume === null ? [] : [{ role, value: resume }];
  const main = mainTexts[side].map((name) => payload[name]).find((value) => typeof value === 'string');
  if (main !== undefined) return [{ role, value: main }];
  return Object.keys(payload).length === 0 ? [] : [{ role, value: payload }];
}

/** The questions of an interrupted graph to the person. */
function questionsIn(interrupts: unknown): PlainWord[] {
  if (!Array.isArray(interrupts)) return [];
  return interrupts
    .slice(0, MAX_QUESTIONS)
    .filter(isFields)
    .filter(({ value }) => value !== undefined && value !== null)
    .map(({ value }) => ({ role: 'assistant', value }));
}
