import { readParts } from './part-rules.ts';

/**
 * Finds the messages in a run's recorded payloads: LangChain's serialised and plain forms, OpenAI's and Anthropic's,
 * and those in parts, as in OpenTelemetry and Gemini. Content and calls stay as they were; roles get OpenAI's names.
 */

export interface Message {
  readonly role: string;
  readonly content: unknown;
  /** The id, where the tracer recorded one; it stays the same from turn to turn. */
  readonly id?: string;
  readonly name?: string;
  readonly tool_calls?: readonly unknown[];
  readonly tool_call_id?: string;
}

/** The side of a run that a payload is; a text in a list of messages counts as a message of that side. */
export type Side = 'inputs' | 'outputs';
export const speakers = { inputs: 'user', outputs: 'assistant' } as const;

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** No model gives as many answers to one question. */
const MAX_CHOICES = 1000;
const MAX_DEPTH = 20;

/** The messages in order; undefined where the payload looks like something else. */
export function messagesIn(payload: unknown, side: Side, depth = 0): Iterable<Message> | undefined {
  if (Array.isArray(payload)) return messageList(payload, side);
  if (!isFields(payload)) return undefined;
  const { messages, choices, generations, message } = payload;
  if (messages !== undefined && messages !== null)
    return messageList(Array.isArray(messages) ? messages : [messages], side);
  if (Array.isArray(choices))
    return messageList(choices.slice(0, MAX_CHOICES).map(memberOf('message')), side);
  if (Array.isArray(generations)) return messageList(firstGenerations(generations).map(generationOf), side);
  if (isFields(message)) return messageList([message], side);
  const single = messagesOf(payload);
  if (single.length > 0) return single;
  const inner = payload[side === 'inputs' ? 'input' : 'output'];
  return typeof inner === 'object' && inner !== null && depth < MAX_DEPTH
    ? messagesIn(inner, side, depth + 1)
    : undefined;
}

/** The generations of the first prompt: one list of candidates for each prompt, or one list of all. */
const firstGenerations = (generations: readonly unknown[]) =>
  generations
    .slice(0, MAX_CHOICES)
    .flatMap((candidates) =>
      Array.isArray(candidates) ? candidates.slice(0, MAX_CHOICES).flat() : [candidates],
    );

function messageList(list: readonly unknown[], side: Side, depth = 0): Iterable<Message> | undefined {
  // A batch: a chat model's input is a list of lists.
  const isBatch = list.length > 0 && list.every((item) => Array.isArray(item) && !isPair(item));
  if (isBatch && depth < MAX_DEPTH) return messageList(list.flat(), side, depth + 1);
  const from = list.findIndex((item) => itemsOf(item, side).length > 0);
  return from >= 0 || list.length === 0 ? messagesFrom(list, from, side) : undefined;
}

function* messagesFrom(list: readonly unknown[], from: number, side: Side): Generator<Message, void, void> {
  for (let at = Math.max(0, from); at < list.length; at += 1) yield* itemsOf(list[at], side);
}

function itemsOf(item: unknown, side: Side): readonly Message[] {
  if (typeof item === 'string') return [{ role: speakers[side], content: item }];
  if (isPair(item)) return [{ role: roleOf(item[0]) ?? item[0], content: item[1] }];
  return messagesOf(item);
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

/** The role for the name of a role or of a LangChain type: `human`, `HumanMessage`, `AIMessageChunk`, … */
function roleOf(name: unknown): string | undefined {
  return typeof name === 'string' ? roles.get(name.replace(/Message(Chunk)?$/, '').toLowerCase()) : undefined;
}

/** The message of a value in any form, or the messages of one in parts; none for anything else. */
export function messagesOf(value: unknown): readonly Message[] {
  if (isFields(value) && Array.isArray(value['parts']) && value['content'] === undefined)
    return spokenInParts(value, value['parts']);
  const message = messageOf(value);
  return message === undefined ? [] : [message];
}

/** A message of any role may hold answers of tools. */
function spokenInParts({ id, role, name }: Fields, parts: readonly unknown[]): readonly Message[] {
  if (typeof role !== 'string') return [];
  const { content, calls, results } = readParts(parts);
  const answers = results.map((result): Message => ({ role: 'tool', ...result }));
  if (content === undefined && calls.length === 0 && answers.length > 0) return answers;
  const message = spoken(roleOf(role) ?? role, { id, name, content: content ?? '', tool_calls: calls });
  return message === undefined ? answers : [message, ...answers];
}

function messageOf(value: unknown): Message | undefined {
  if (!isFields(value)) return undefined;
  const { id, type, role, content, kwargs, data } = value;
  if (Array.isArray(id) && isFields(kwargs)) return spoken(classRole(id.at(-1), kwargs), kwargs);
  if (isFields(data) && content === undefined) return spoken(roleOf(type), data);
  if (type === 'function_call' && typeof value['name'] === 'string') return calling(value);
  if (typeof role === 'string') return spoken(roleOf(role) ?? role, value);
  return content === undefined ? undefined : spoken(roleOf(type), value);
}

/** A ChatMessage names its role itself. */
const classRole = (name: unknown, { role }: Fields) =>
  roleOf(name) ?? (typeof role === 'string' ? (roleOf(role) ?? role) : undefined);

/** OpenAI's responses list the calls of tools beside the messages. */
function calling({ id, call_id, name, arguments: written }: Fields): Message {
  return {
    role: 'assistant',
    content: '',
    ...idOf(id),
    tool_calls: [{ id: call_id, name, arguments: written }],
  };
}

function spoken(role: string | undefined, fields: Fields): Message | undefined {
  const { id, content, name, tool_calls, tool_call_id, additional_kwargs } = fields;
  // The two places of tool calls repeat each other.
  const places = [tool_calls, isFields(additional_kwargs) ? additional_kwargs['tool_calls'] : undefined];
  const calls = places.find((place): place is unknown[] => Array.isArray(place) && place.length > 0);
  if (role === undefined || (content === undefined && calls === undefined)) return undefined;
  return {
    role,
    content: content ?? '',
    ...idOf(id),
    ...(typeof name === 'string' && name !== '' ? { name } : {}),
    ...(calls === undefined ? {} : { tool_calls: calls }),
    ...(typeof tool_call_id === 'string' ? { tool_call_id } : {}),
  };
}

const idOf = (id: unknown) => (typeof id === 'string' && id !== '' ? { id } : {});
