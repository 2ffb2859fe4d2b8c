import { parseJson } from '@roadstead/json';
import { malformed, Problem } from '@roadstead/kit';
import { integer } from './protobuf-scan.ts';
import { signals, type Signal } from './signal-rules.ts';
import { type AttributeValue, MAX_ATTRIBUTES, MAX_VALUE_DEPTH } from './span.ts';

/**
 * OpenTelemetry's requests as JSON: names in camelCase or as in the protocol buffers, ids in hexadecimal or base64,
 * 64-bit integers as text or numbers. They are read with pauses, since one attribute may hold a million values.
 */

export type Free = Readonly<Record<string, unknown>>;
export type Scan<T> = Generator<void, T, void>;

/** An attribute takes three; a batch of 2,000 spans has some ten thousands of them. */
const MAX_KEYS = 1_000_000;

/** @throws Problem `malformed` where the body is no object, `invalid` where it is a request of another signal. */
export async function readRequest(body: Uint8Array, signal: Signal): Promise<Free> {
  const request = await parseJson(body, { max_keys: MAX_KEYS });
  if (typeof request !== 'object' || request === null || Array.isArray(request))
    throw malformed(['body'], 'is not a JSON object', 'json_invalid');
  const { member, path } = signals[signal];
  const has = (one: string) => memberOf(record(request), one) !== undefined;
  const other = Object.values(signals).find((one) => one.member !== member && has(one.member));
  if (other !== undefined && !has(member))
    throw new Problem(
      'invalid',
      `The body holds ${other.member}: send it to ${other.path} rather than to ${path}.`,
    );
  const list = memberOf(record(request), member);
  if (list !== undefined && list !== null && !Array.isArray(list))
    throw malformed(['body', member], 'is not a list', 'list_type');
  return record(request);
}

/** A member by its name, in camelCase or as in the protocol buffers: `resourceSpans`, `resource_spans`. */
export const memberOf = (of: Free, name: string): unknown => of[name] ?? of[snakeCase(name)];

const snakeCases = new Map<string, string>();
function snakeCase(name: string): string {
  const known = snakeCases.get(name) ?? name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  snakeCases.set(name, known);
  return known;
}

/** The id in small hexadecimal digits; some clients write ids in base64, like other bytes. */
export function idOf(value: unknown, bytes: 8 | 16): string {
  const written = text(value);
  const read = /^[\w+/-]+={1,2}$/.test(written) ? Buffer.from(written, 'base64') : undefined;
  return read?.length === bytes ? read.toString('hex') : written.toLowerCase();
}

export function* attributesOf(list: unknown): Scan<Map<string, AttributeValue>> {
  const entries = listIn(list).slice(0, MAX_ATTRIBUTES);
  return new Map(yield* each(entries, (entry) => attributeOf(entry, 0)));
}

function* attributeOf(entry: unknown, depth: number): Scan<[string, AttributeValue]> {
  const { key, value } = record(entry);
  return [text(key), yield* valueOf(value, depth)];
}

const kinds = [
  'stringValue',
  'boolValue',
  'intValue',
  'doubleValue',
  'arrayValue',
  'kvlistValue',
  'bytesValue',
] as const;

export function* valueOf(sent: unknown, depth: number): Scan<AttributeValue> {
  if (depth > MAX_VALUE_DEPTH) throw new Problem('invalid', 'An attribute is nested too deeply.');
  const value = record(sent);
  const [stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue, bytesValue] = kinds.map(
    (kind) => memberOf(value, kind),
  );
  if (typeof stringValue === 'string') return stringValue;
  if (typeof boolValue === 'boolean') return boolValue;
  if (intValue !== undefined) return integer(bigint(intValue));
  if (typeof doubleValue === 'number') return doubleValue;
  if (typeof doubleValue === 'string') return doubleValue;
  if (typeof bytesValue === 'string') return bytesValue;
  if (arrayValue !== undefined)
    return yield* each(listIn(record(arrayValue)['values']), (item) => valueOf(item, depth + 1));
  if (kvlistValue === undefined) return null;
  const members = yield* each(listIn(record(kvlistValue)['values']), (entry) =>
    attributeOf(entry, depth + 1),
  );
  return Object.fromEntries(members);
}

export function* each<T>(items: readonly unknown[], read: (item: unknown) => Scan<T>): Scan<T[]> {
  const all: T[] = [];
  for (const item of items) {
    all.push(yield* read(item));
    yield;
  }
  return all;
}

/** An integer of at most 20 digits, the most that 64 bits have; anything else is 0. */
function bigint(value: unknown): bigint {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : 0n;
  return typeof value === 'string' && /^-?\d{1,20}$/.test(value) ? BigInt(value) : 0n;
}

/** Nanoseconds; some clients write them as numbers, whose last digits are rounded. */
export function nanoseconds(value: unknown): bigint {
  if (typeof value === 'number' && Number.isFinite(value)) return BigInt(Math.trunc(value));
  return bigint(value);
}

export const text = (value: unknown) => (typeof value === 'string' ? value : '');
export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export function record(value: unknown): Free {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Free) : {};
}
