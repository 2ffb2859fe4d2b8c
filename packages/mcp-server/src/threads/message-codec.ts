import { bounded, MAX_CHARS } from '../paging/shown-item-rules.ts';
import { cutText } from '../paging/text-cut-rules.ts';
import { type Call, callsOf, contentText, toolResultText } from './message-content-codec.ts';

/** The messages in what a tracer recorded: LangChain's serialised and plain forms, OpenAI's and Anthropic's. */

export interface Message {
  /** Where the tracer recorded one; it stays the same from turn to turn. */
  readonly id?: string;
  readonly role: string;
  readonly content: string;
  readonly name?: string;
  readonly tool_calls?: readonly Call[];
}

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Which side a payload is; what isn't a message is taken as the text of that side. */
export type Side = 'inputs' | 'outputs';
const speakers = { inputs: 'user', outputs: 'assistant' } as const;

type Found = Generator<Message, void, void>;

/** The messages of a payload, in order. One without any becomes one message, its main text or else its JSON. */
export function* messagesIn(payload: unknown, side: Side): Found {
  const { __interrupt__: interrupts, ...fields } = isFields(payload) ? payload : {};
  const body = isFields(payload) ? fields : payload;
  yield* messagesAt(body, side) ?? plainMessage(body, side);
  yield* questionsIn(interrupts);
}

/** Undefined where nothing looks like messages; then the payload is something else. */
function messagesAt(payload: unknown, side: Side, depth = 0): Iterable<Message> | undefined {
  if (Array.isArray(payload)) return messageList(payload, side);
  if (!isFields(payload)) return undefined;
  const { messages, choices, generations, message } = payload;
  if (messages !== undefined && messages !== null)
    return messageList(Array.isArray(messages) ? messages : [messages], side);
  if (Array.isArray(choices))
    return messageList(choices.slice(0, MAX_CHOICES).map(memberOf('message')), side);
  if (Array.isArray(generations)) return messageList(firstGenerations(generations).map(generationOf), side);
  if (isFields(message)) return messageList([message], side);
  const single = messageOf(payload);
  if (single !== undefined) return [single];
  const inner = payload[side === 'inputs' ? 'input' : 'output'];
  return typeof inner === 'object' && inner !== null && depth < MAX_DEPTH
    ? messagesAt(inner, side, depth + 1)
    : undefined;
}

/** No model gives as many answers to one question. */
const MAX_CHOICES = 1000;
const MAX_DEPTH = 20;

/** One list of candidates a prompt, or one list of all. */
const firstGenerations = (generations: readonly unknown[]) =>
  generations
    .slice(0, MAX_CHOICES)
    .flatMap((candidates) =>
      Array.isArray(candidates) ? candidates.slice(0, MAX_CHOICES).flat() : [candidates],
    );

function messageList(list: readonly unknown[], side: Side, depth = 0): Iterable<Message> | undefined {
  const [first] = list;
  // A batch: what a chat model got is a list of lists.
  if (list.length === 1 && Array.isArray(first) && !isPair(first) && depth < MAX_DEPTH)
    return messageList(first, side, depth + 1);
  const from = list.findIndex((item) => itemOf(item, side) !== undefined);
  return from >= 0 || list.length === 0 ? messagesFrom(list, from, side) : undefined;
}

function* messagesFrom(list: readonly unknown[], from: number, side: Side): Found {
  for (let at = Math.max(0, from); at < list.length; at += 1) {
    const message = itemOf(list[at], side);
    if (message !== undefined) yield message;
  }
}

function itemOf(item: unknown, side: Side): Message | undefined {
  if (typeof item === 'string') return { role: speakers[side], content: cutText(item, MAX_CHARS) };
  if (isPair(item)) return { role: roleOf(item[0]) ?? item[0], content: cutText(item[1], MAX_CHARS) };
  return messageOf(item);
}

/** LangChain takes `['user', 'text']` for a message. */
const isPair = (item: unknown): item is [string, string] =>
  Array.isArray(item) &&
  item.length === 2 &&
  item.every((part) => typeof part === 'string') &&
  roleOf(item[0]) !== undefined;

const memberOf = (name: string) => (value: unknown) => (isFields(value) ? value[name] : undefined);
const generationOf = (generation: unknown) =>
  isFields(generation) && generation['message'] === undefined && typeof generation['text'] === 'string'
    ? { role: 'assistant', content: generation['text'] }
    : memberOf('message')(generation);

const roles: ReadonlyMap<unknown, string> = new Map([
  ['human', 'user'],
  ['user', 'user'],
  ['ai', 'assistant'],
  ['assistant', 'assistant'],
  ['model', 'assistant'],
  ['tool', 'tool'],
  ['function', 'tool'],
  ['system', 'system'],
  ['developer', 'system'],
]);

/** The role that a role's or a LangChain type's name stands for: `human`, `HumanMessage`, `AIMessageChunk`, … */
function roleOf(name: unknown): string | undefined {
  return typeof name === 'string' ? roles.get(name.replace(/Message(Chunk)?$/, '').toLowerCase()) : undefined;
}

/** One message, of whatever form; undefined for anything else. */
function messageOf(value: unknown): Message | undefined {
  if (!isFields(value)) return undefined;
  const { id, type, role, content, kwargs, data } = value;
  if (Array.isArray(id) && isFields(kwargs)) return spoken(classRole(id.at(-1), kwargs), kwargs);
  if (isFields(data) && content === undefined) return spoken(roleOf(type), data);
  if (type === 'function_call' && typeof value['name'] === 'string') return spoken('assistant', value);
  if (typeof role === 'string') return spoken(roleOf(role) ?? role, value);
  return content === undefined ? undefined : spoken(roleOf(type), value);
}

/** A ChatMessage says its role itself. */
const classRole = (name: unknown, { role }: Fields) =>
  roleOf(name) ?? (typeof role === 'string' ? (roleOf(role) ?? role) : undefined);

function spoken(role: string | undefined, fields: Fields): Message | undefined {
  const { id, name, content } = fields;
  const calls = callsOf(fields);
  if (role === undefined || (content === undefined && calls.length === 0)) return undefined;
  const result = role === 'user' ? toolResultText(content) : undefined;
  return {
    ...(typeof id === 'string' && id !== '' ? { id } : {}),
    role: result === undefined ? role : 'tool',
    content: cutText(result ?? contentText(content), MAX_CHARS),
    ...(typeof name === 'string' && name !== '' && fields['type'] !== 'function_call' ? { name } : {}),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

const mainTexts = {
  inputs: ['input', 'question', 'query', 'prompt', 'text', 'content'],
  outputs: ['output', 'answer', 'response', 'result', 'text', 'content'],
} as const;

/** What an agent without messages was given or gave. A resumed graph was given the answer to its question. */
function plainMessage(payload: unknown, side: Side): Message[] {
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
function questionsIn(interrupts: unknown): Message[] {
  if (!Array.isArray(interrupts)) return [];
  return interrupts
    .slice(0, MAX_CHOICES)
    .filter(isFields)
    .filter(({ value }) => value !== undefined && value !== null)
    .map(({ value }) => ({ role: 'assistant', content: textOf(value) }));
}

const textOf = (value: unknown) =>
  typeof value === 'string' ? cutText(value, MAX_CHARS) : JSON.stringify(bounded(value));
