import { isPlain, plainDict } from './message-serde.ts';

/**
 * Values of a graph as the LangGraph API shows them: JSON, in which a message is an object of its fields with its `type`.
 * Messages are recognized by their shape, since any copy of LangChain may have made them. A place that would hold itself is left out;
 * what can't be written at all is null.
 */
export function jsonOf(value: unknown): string {
  const ways = [
    () => plainText(value),
    () => slowText(value, replaceMessages),
    () => slowText(value, withoutCycles()),
  ];
  for (const way of ways) {
    try {
      const text = way();
      if (text !== undefined) return text;
    } catch {
      // A value that holds itself, or whose own `toJSON` throws.
    }
  }
  return 'null';
}

/**
 * An object whose members are written each by itself: one that can't be written is null, and the others stand. What is
 * `written` already stands in the place of its member.
 */
export function membersText(fields: object, written: Readonly<Record<string, string>> = {}): string {
  const texts = Object.entries(fields).flatMap(([name, value]: [string, unknown]) =>
    value === undefined ? [] : [`${JSON.stringify(name)}:${written[name] ?? jsonOf(value)}`],
  );
  return `{${texts.join()}}`;
}

const slowText = (value: unknown, replacer: Replacer) => JSON.stringify(value, replacer) ?? 'null';

/** Each level is looked through once more: messages stand near the top. */
const MAX_DEPTH = 5;

/** Plain data and plain messages, which most states are, take a third of the time. Undefined for a value that holds more. */
function plainText(value: unknown, depth: number = MAX_DEPTH): string | undefined {
  if (isPlain(value)) return JSON.stringify(value);
  if (typeof value !== 'object' || value === null || depth === 0) return undefined;
  if ('toJSON' in value) {
    const dict = plainDict(value);
    return dict && JSON.stringify(dict);
  }
  const texts: string[] = [];
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) {
      const text = plainText(value[at], depth - 1);
      if (text === undefined) return undefined;
      texts.push(text);
    }
    return `[${texts.join()}]`;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return undefined;
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const text = plainText(member, depth - 1);
    if (text === undefined) return undefined;
    texts.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${texts.join()}}`;
}

type Replacer = (this: unknown, key: string, value: unknown) => unknown;

/** A list's messages are replaced before each has been through its own `toJSON`, which takes as long. */
function replaceMessages(this: unknown, key: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => dictOf(one) ?? one);
  return replaceMessage.call(this, key, value);
}

function replaceMessage(this: unknown, key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  // `value` has been through the message's own `toJSON` already.
  return dictOf((this as Readonly<Record<string, unknown>>)[key]) ?? value;
}

interface Dictable {
  toDict(): { readonly type: string; readonly data: Readonly<Record<string, unknown>> };
}

function dictOf(raw: unknown): object | undefined {
  if (typeof raw !== 'object' || raw === null || typeof (raw as Partial<Dictable>).toDict !== 'function')
    return undefined;
  const { type, data } = (raw as Dictable).toDict();
  return { ...data, type };
}

/** Knows what it is inside of, since a value may well stand in several places. */
function withoutCycles(): Replacer {
  const holders: { readonly raw: unknown; readonly written: object }[] = [];
  return function (this: unknown, key, value) {
    while (holders.length > 0 && holders.at(-1)?.written !== this) holders.pop();
    const raw = (this as Readonly<Record<string, unknown>>)[key];
    const written = replaceMessage.call(this, key, value);
    if (typeof written !== 'object' || written === null) return written;
    if (holders.some((holder) => holder.raw === raw || holder.written === written)) return undefined;
    holders.push({ raw, written });
    return written;
  };
}
