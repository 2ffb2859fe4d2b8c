import { choice_event, message_contents, message_events, message_texts } from './attribute-tables.ts';
import { isTooDeep, nestedOf, SMALL_CHARS } from './nesting-rules.ts';
import { type AttributeReader, isSameValue } from './span-reader.ts';
import type { AttributeValue, SpanEvent } from './span.ts';

/** Messages that instrumentations send event by event, in a log of such events, or in attributes. */

export type Free = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Free =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export interface ReadEvent {
  readonly event: SpanEvent;
  readonly reader: AttributeReader;
}

/** A message, and the callback for when it is shown. */
export interface SpanMessage {
  readonly message: Free;
  readonly is_choice: boolean;
  readonly take: () => void;
}

/** The inputs and the outputs of a call. */
export interface Sides {
  readonly inputs: readonly SpanMessage[];
  readonly outputs: readonly SpanMessage[];
}

/** Choices are the outputs; without choices, the assistant's last messages are. */
export function sidesOfCall(spoken: readonly SpanMessage[]): Sides {
  const choices = spoken.filter(({ is_choice }) => is_choice);
  if (choices.length > 0) return { inputs: spoken.filter(({ is_choice }) => !is_choice), outputs: choices };
  const given = spoken.findLastIndex(({ message }) => !isAnswer(message)) + 1;
  return { inputs: spoken.slice(0, given), outputs: spoken.slice(given) };
}

/** The outputs of an agent follow the last question. */
export function sidesOfAgent(spoken: readonly SpanMessage[]): Sides {
  const given = spoken.findLastIndex(({ message }) => isQuestion(message)) + 1;
  return { inputs: spoken.slice(0, given), outputs: spoken.slice(given) };
}

const isAnswer = ({ role }: Free) => role === 'assistant' || role === 'model';

/** Answers of tools may have the role of the user. */
function isQuestion({ role, parts }: Free): boolean {
  const isOfTools = (part: unknown) => isObject(part) && part['type'] === 'tool_call_response';
  return role === 'user' && !(Array.isArray(parts) && parts.length > 0 && parts.every(isOfTools));
}

/** The messages of an event; an empty list where it is another event. */
export function spokenIn({ event, reader }: ReadEvent): SpanMessage[] {
  const role = message_events.get(event.name);
  if (role === undefined) return [];
  const { messages, names } = messagesOf(reader);
  const is_choice = event.name === choice_event;
  const take = () => reader.take(...names);
  return messages.map((message) => ({ message: { role, ...message }, is_choice, take }));
}

/** Undefined where the log holds anything else, too. */
export function spokenInLog(log: unknown, take: () => void): SpanMessage[] | undefined {
  if (!Array.isArray(log)) return undefined;
  const spoken = log.map((entry: unknown): SpanMessage | undefined => {
    if (!isObject(entry)) return undefined;
    const { 'event.name': name, ...said } = entry;
    const role = typeof name === 'string' ? message_events.get(name) : undefined;
    if (role === undefined) return undefined;
    return { message: { role, ...flat(said) }, is_choice: name === choice_event, take };
  });
  return spoken.every((one) => one !== undefined) ? spoken : undefined;
}

/** The content of a message's parts, in order of credibility, and the attributes that hold it. */
interface Part {
  readonly names: readonly string[];
  readonly said: Free;
}

function messagesOf(reader: AttributeReader): {
  readonly messages: readonly Free[];
  readonly names: readonly string[];
} {
  const parts = [
    ...message_contents.flatMap((name) => contentPart(name, reader) ?? []),
    ...spreadParts(reader),
  ];
  // The object has no prototype, so that no name is special.
  const message = Object.create(null) as Record<string, unknown>;
  const names: string[] = [];
  for (const part of parts) {
    const fits = Object.entries(part.said).every(
      ([name, value]) => !Object.hasOwn(message, name) || isSameValue(message[name], value),
    );
    if (!fits) continue;
    Object.assign(message, part.said);
    names.push(...part.names);
  }
  const text = message_texts.find((name) => reader.json(name) !== undefined);
  if (message['content'] === undefined && text !== undefined) {
    message['content'] = reader.peek(text);
    names.push(text);
  }
  const several = message_contents.find((name) => isMessageList(reader.meaning(name)));
  if (several === undefined) return { messages: [withRead(message)], names };
  const list = reader.meaning(several) as readonly Free[];
  const isClear = list.every((one) => Object.keys(message).every((name) => !Object.hasOwn(one, name)));
  return isClear
    ? { messages: list.map((one) => ({ ...message, ...one })), names: [...names, several] }
    : { messages: list, names: [several] };
}

/** A message as an object, as its JSON, or as its content alone. */
function contentPart(name: string, reader: AttributeReader): Part | undefined {
  const value = reader.meaning(name);
  if (value === undefined || isMessageList(value)) return undefined;
  return { names: [name], said: isObject(value) ? flat(value) : { content: value } };
}

const isMessage = (value: unknown): boolean => isObject(value) && typeof value['role'] === 'string';
const isMessageList = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every(isMessage);

/** A message that is spread over attributes: each first name is a part of its own. */
function spreadParts(reader: AttributeReader): Part[] {
  const others = reader
    .under('')
    .filter(([name]) => !name.startsWith('gen_ai.') && !message_contents.some((one) => one === name));
  const entries = others.map(([name, value]) => [name.replace(/^message\./, ''), value, name] as const);
  return [...Map.groupBy(entries, ([path]) => path.split('.')[0] ?? '')].map(([first, some]) => {
    const { value, excluded } = nestedOf(
      some.map(([path, one, name]) => [path, path === 'tool_calls' ? callsIn(name, reader) : one]),
    );
    const names = some.filter(([path]) => !excluded.has(path)).map(([, , name]) => name);
    return { names, said: isObject(value) ? value : { [first]: value } };
  });
}

/** Calls come as JSON. */
const callsIn = (name: string, reader: AttributeReader) => reader.meaning(name) as AttributeValue;

/** A choice holds its message, with the finish reason beside it. */
function flat(said: Free): Free {
  const { message, ...beside } = said;
  if (message === undefined) return said;
  const inner = isObject(message) ? message : { content: message };
  const isClear = Object.keys(inner).every((name) => !Object.hasOwn(beside, name));
  return isClear ? { ...beside, ...inner } : said;
}

/** The message with its content as blocks, where it is their JSON text, or where OpenInference spreads them. */
export function withRead(sent: Free): Free {
  const { contents, ...beside } = sent;
  const message: Free =
    Array.isArray(contents) && beside['content'] === undefined ? { ...beside, content: contents } : sent;
  const { content } = message;
  if (typeof content !== 'string' || content.length > SMALL_CHARS || !/^\s*\[\s*\{/.test(content))
    return message;
  if (isTooDeep(content)) return message;
  try {
    const blocks = JSON.parse(content) as unknown;
    const isBlock = (one: unknown) =>
      isObject(one) && (typeof one['type'] === 'string' || typeof one['text'] === 'string');
    return Array.isArray(blocks) && blocks.every(isBlock) ? { ...message, content: blocks } : message;
  } catch {
    return message;
  }
}
