import { isDeepStrictEqual } from 'node:util';
import { dumpStock } from './bigint-digits.ts';
import { inertSerde } from './inert-records.ts';
import type { Serde } from './langgraph-types.ts';

/**
 * The user's own serializer, quicker for what states mostly hold: messages whose fields are plain data. The stock way takes
 * ten times as long, by a promise for each value, and by writing and parsing each message once more. Whatever else a value
 * holds goes the stock way, and so does everything where a kind of message, tried both ways, doesn't come out the same.
 */
export function messageSerde(stock: Serde): Serde {
  // A copy of LangGraph that has none fails where something is written, as it would without us.
  if ((stock as Serde | undefined) === undefined) return stock;
  const known = learnedOf(stock);
  const safe = inertSerde(stock);
  return {
    dumpsTyped: (value) => {
      const text = textOf(known.kinds, value);
      return text === undefined ? dumpStock(stock, value) : Promise.resolve(['json', Buffer.from(text)]);
    },
    loadsTyped: (type, data) =>
      type === 'json' && known.kinds.size > 0
        ? load(known.kinds, safe, typeof data === 'string' ? data : new TextDecoder().decode(data))
        : safe.loadsTyped(type, data),
  };
}

type Fields = Readonly<Record<string, unknown>>;

interface Message {
  readonly lc_serializable?: unknown;
  readonly lc_namespace?: unknown;
  readonly lc_kwargs?: unknown;
  readonly toJSON?: unknown;
  readonly toDict?: unknown;
  readonly getType?: unknown;
  readonly _getType?: unknown;
  readonly type?: unknown;
}

/** The members by which a message shows what it is. */
const TELLING = ['toDict', 'getType', '_getType', 'type'] as const;

/** A class of messages as the user's own copy of LangChain has it. */
interface Kind {
  readonly name: string;
  readonly Class: new (fields: object) => Message;
  readonly toJSON: unknown;
  /** What `toDict` calls it, and what its messages have of `TELLING`; undefined where `toDict` shows them otherwise. */
  told: (Pick<Message, (typeof TELLING)[number]> & { readonly as: unknown }) | undefined;
  /** The fields that are written under their own names. */
  readonly fields: ReadonlySet<string>;
}
type Kinds = ReadonlyMap<unknown, Kind>;

const NAMESPACE = ['langchain_core', 'messages'];
const UNDEFINED = { lc: 2, type: 'undefined' };
const MAX_DEPTH = 20;

async function load(kinds: Kinds, stock: Serde, text: string): Promise<unknown> {
  try {
    const root = { value: JSON.parse(text) as unknown };
    const rest: Promise<void>[] = [];
    revive(kinds, { stock, rest }, { holder: root, key: 'value' });
    await Promise.all(rest);
    return root.value;
  } catch {
    return stock.loadsTyped('json', text);
  }
}

interface Revival {
  readonly stock: Serde;
  /** Settle when all that goes the stock way is in its place. */
  readonly rest: Promise<void>[];
}

interface Place {
  readonly holder: object;
  readonly key: string;
}

function revive(kinds: Kinds, reviving: Revival, { holder, key }: Place): void {
  const of = holder as Record<string, unknown>;
  const value = of[key];
  if (typeof value !== 'object' || value === null) return;
  if (!Object.hasOwn(value, 'lc')) {
    if (Object.hasOwn(value, '__proto__')) throw new Error('A value of its own kind');
    for (const name of Object.keys(value)) revive(kinds, reviving, { holder: value, key: name });
    return;
  }
  const message = messageOf(kinds, value as Fields);
  if (message !== undefined) of[key] = message;
  else
    reviving.rest.push(
      reviving.stock.loadsTyped('json', JSON.stringify(value)).then((revived) => void (of[key] = revived)),
    );
}

function messageOf(kinds: Kinds, record: Fields): object | undefined {
  const { lc, type, id, kwargs } = record;
  if (lc !== 1 || type !== 'constructor' || !Array.isArray(id) || Object.keys(record).length !== 4)
    return undefined;
  const kind = isMessageId(id) ? kinds.get(id[2]) : undefined;
  if (kind === undefined || typeof kwargs !== 'object' || kwargs === null || Array.isArray(kwargs))
    return undefined;
  for (const name of Object.keys(kwargs))
    if (!kind.fields.has(name) || !isPlain((kwargs as Fields)[name])) return undefined;
  return new kind.Class(kwargs);
}

const isMessageId = (id: readonly unknown[]) =>
  id.length === 3 && id[0] === NAMESPACE[0] && id[1] === NAMESPACE[1];

/** Undefined for what isn't a list of plain messages. */
function textOf(kinds: Kinds, value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length === 0 || Object.getPrototypeOf(value) !== Array.prototype)
    return undefined;
  const texts: string[] = [];
  for (const one of value as unknown[]) {
    const text = messageText(kinds, one);
    if (text === undefined) return undefined;
    texts.push(text);
  }
  return `[${texts.join()}]`;
}

function messageText(kinds: Kinds, value: unknown): string | undefined {
  const known = plainMessage(kinds, value);
  if (known === undefined) return undefined;
  const { kind, fields } = known;
  for (const name of Object.keys(fields)) if (fields[name] === undefined) fields[name] = UNDEFINED;
  const id = JSON.stringify([...NAMESPACE, kind.name]);
  return `{"lc":1,"type":"constructor","id":${id},"kwargs":${JSON.stringify(fields)}}`;
}

interface PlainMessage {
  readonly kind: Kind;
  /** As they are now, under the names that they are written by. */
  readonly fields: Record<string, unknown>;
}

/** Undefined for what isn't a message of a known kind whose fields are plain data. */
function plainMessage(
  kinds: { get(prototype: object): Kind | undefined },
  value: unknown,
): PlainMessage | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const kind = kinds.get(Object.getPrototypeOf(value) as object);
  if (kind === undefined) return undefined;
  const { toJSON, lc_serializable, lc_namespace, lc_kwargs: own } = value as Message;
  if (toJSON !== kind.toJSON || lc_serializable !== true) return undefined;
  if (!Array.isArray(lc_namespace) || !isMessageId([...(lc_namespace as unknown[]), kind.name]))
    return undefined;
  if (typeof own !== 'object' || own === null || Object.getPrototypeOf(own) !== Object.prototype)
    return undefined;
  const fields: Record<string, unknown> = {};
  for (const name of Object.keys(own)) {
    if (!kind.fields.has(name)) return undefined;
    const field = ((name in value ? value : own) as Fields)[name];
    if (field !== undefined && !isPlain(field)) return undefined;
    fields[name] = field;
  }
  return { kind, fields };
}

/** Undefined where the message, or its copy of LangChain, might tell something else of itself. */
function dictOf({ kind, fields }: PlainMessage, message: Message): Fields | undefined {
  const { told } = kind;
  const is_told_so = told !== undefined && TELLING.every((name) => message[name] === told[name]);
  return is_told_so ? { ...fields, type: told.as } : undefined;
}

/** The kinds of all copies, by their prototypes. */
const everyKind = new WeakMap<object, Kind>();

/** Reads what `toDict` of a plain message holds, as one object; undefined for anything else. */
export function plainDict(value: unknown): Fields | undefined {
  const known = plainMessage(everyKind, value);
  return known === undefined ? undefined : dictOf(known, value as Message);
}

/** Whether a value is data alone, without what either serializer reads in a way of its own. */
export function isPlain(value: unknown, depth: number = MAX_DEPTH): boolean {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || depth === 0) return false;
  if (Array.isArray(value)) {
    if (Object.getPrototypeOf(value) !== Array.prototype || 'toJSON' in value) return false;
    for (const one of value) if (!isPlain(one, depth - 1)) return false;
    return true;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype || Object.hasOwn(value, '__proto__')) return false;
  if ('lc' in value || 'toJSON' in value || 'lg_name' in value || '__lc_escaped__' in value) return false;
  for (const name of Object.keys(value)) if (!isPlain((value as Fields)[name], depth - 1)) return false;
  return true;
}

/** Every field that a kind may have, in a message as LangChain writes it. */
const COMMON = {
  content: [{ type: 'text', text: 'a "word" \u{1f6a2}\u2028', index: 0 }],
  id: 'id',
  name: 'name',
  type: 'type',
  additional_kwargs: { toolCalls: [], some_key: { 'a-b': [1, null, true] } },
  response_metadata: { model_name: 'm', tokenUsage: { total: 1.5 } },
};
const CALLS = {
  tool_calls: [{ name: 'tool', args: { some_arg: { lat: 1 } }, id: 'call', type: 'tool_call' }],
  invalid_tool_calls: [{ name: 'tool', args: '{', id: 'other', error: 'bad', type: 'invalid_tool_call' }],
  usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3, input_token_details: { audio: 1 } },
};
const CHUNKS = {
  tool_call_chunks: [{ name: 'tool', args: '{', id: 'c', index: 0, type: 'tool_call_chunk' }],
};
const SAMPLES: Readonly<Record<string, Fields>> = {
  HumanMessage: COMMON,
  SystemMessage: COMMON,
  AIMessage: { ...COMMON, ...CALLS },
  AIMessageChunk: { ...COMMON, ...CALLS, ...CHUNKS },
  ToolMessage: {
    ...COMMON,
    tool_call_id: 'call',
    status: 'success',
    artifact: { some_part: 1 },
    metadata: { some_key: 1 },
  },
};

/** The kinds of messages that a copy's serializer writes. */
interface StockKinds {
  /** None until they have been tried. */
  kinds: Kinds;
  done: Promise<void>;
}
const learned_of = new WeakMap<object, StockKinds>();

function learnedOf(stock: Serde): StockKinds {
  const known = learned_of.get(stock.constructor);
  if (known !== undefined) return known;
  const begun: StockKinds = { kinds: new Map(), done: Promise.resolve() };
  learned_of.set(stock.constructor, begun);
  begun.done = learn(stock).then((kinds) => void (begun.kinds = kinds));
  return begun;
}

/** Settles when the kinds of messages have been tried; before, everything goes the stock way. */
export const learned = (stock: Serde): Promise<void> => learnedOf(stock).done;

async function learn(stock: Serde): Promise<Kinds> {
  const kinds = new Map<unknown, Kind>();
  for (const [name, sample] of Object.entries(SAMPLES)) {
    const kind = await learnKind(stock, name, sample).catch(() => undefined);
    if (kind === undefined) continue;
    kinds.set(name, kind);
    kinds.set(kind.Class.prototype, kind);
    everyKind.set(kind.Class.prototype as object, kind);
  }
  return kinds;
}

// oxlint-disable-next-line roadstead/two-positional -- a serializer, and a kind with its sample
async function learnKind(stock: Serde, name: string, sample: Fields): Promise<Kind | undefined> {
  const written = (kwargs: Fields) =>
    JSON.stringify({ lc: 1, type: 'constructor', id: [...NAMESPACE, name], kwargs });
  const message = (await stock.loadsTyped('json', written(sample))) as Message;
  const { constructor, toJSON, toDict, getType, _getType, type } = message;
  const fields = new Set(Object.keys(sample));
  const told =
    typeof toDict === 'function'
      ? { toDict, getType, _getType, type, as: toDictOf(message).type }
      : undefined;
  const kind: Kind = { name, Class: constructor as Kind['Class'], toJSON, told, fields };
  const kinds = new Map<unknown, Kind>([
    [name, kind],
    [kind.Class.prototype, kind],
  ]);
  for (const kwargs of [sample, { ...sample, content: 'text' }, { content: '', tool_call_id: 'call' }]) {
    const text = written(
      Object.fromEntries(Object.entries(kwargs).filter(([field]) => kind.fields.has(field))),
    );
    const [one, other] = await Promise.all([0, 1].map(async () => stock.loadsTyped('json', text)));
    const quick = await load(kinds, { ...stock, loadsTyped: never }, text);
    if (!isDeepStrictEqual(quick, one)) return undefined;
    for (const message of [one, other] as { name?: unknown; lc_kwargs: Record<string, unknown> }[]) {
      // A field that is not set is written, too.
      if (message === other) message.name = message.lc_kwargs['name'] = undefined;
      const [type, bytes] = await stock.dumpsTyped([message]);
      if (type !== 'json' || new TextDecoder().decode(bytes) !== textOf(kinds, [message])) return undefined;
      if (!isToldSo(kinds, message)) kind.told = undefined;
    }
  }
  return kind;
}

/** Whether a message is shown as its own `toDict` says. */
function isToldSo(kinds: Kinds, message: Message): boolean {
  const known = plainMessage(kinds, message);
  if (known?.kind.told === undefined) return false;
  const { type, data } = toDictOf(message);
  return JSON.stringify({ ...data, type }) === JSON.stringify(dictOf(known, message));
}

const toDictOf = (message: Message) =>
  (message as { toDict(): { readonly type: unknown; readonly data: object } }).toDict();

const never = () => Promise.reject(new Error('Not a plain message'));
