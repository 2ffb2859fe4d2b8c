import { malformed, parseJson, Problem, type TimeSlice } from '@roadstead/kit';
import { unhurried } from '../ingest/unhurried.ts';
import { integer } from './protobuf-codec.ts';
import {
  type AttributeValue,
  MAX_ATTRIBUTES,
  MAX_EVENTS,
  MAX_VALUE_DEPTH,
  type Span,
  type SpanEvent,
  STATUS_ERROR,
  STATUS_OK,
} from './span.ts';

/**
 * The same request as JSON: names in camelCase, ids in hexadecimal, 64-bit integers as text or numbers. Read with pauses,
 * since one attribute may hold a million values.
 */

type Free = Readonly<Record<string, unknown>>;
type Scan<T> = Generator<void, T, void>;

/** An attribute takes three; a batch of 2,000 spans has some ten thousands of them. */
const MAX_KEYS = 1_000_000;

/** @throws Problem `malformed` where the body is no such request. */
export async function decodeJsonSpans(body: Uint8Array, slice: TimeSlice): Promise<Span[]> {
  const request = await parseJson(body, { max_keys: MAX_KEYS });
  if (typeof request !== 'object' || request === null || Array.isArray(request))
    throw malformed(['body'], 'is not a JSON object', 'json_invalid');
  return unhurried(spansOf(record(request)), slice);
}

function* spansOf(request: Free): Scan<Span[]> {
  const spans: Span[] = [];
  for (const resource_spans of listIn(request['resourceSpans'])) {
    const resource = yield* attributesOf(record(record(resource_spans)['resource'])['attributes']);
    for (const scope_spans of listIn(record(resource_spans)['scopeSpans'])) {
      yield;
      for (const span of listIn(record(scope_spans)['spans']))
        spans.push(yield* spanOf(record(span), resource));
    }
  }
  return spans;
}

function* spanOf(span: Free, resource: Span['resource']): Scan<Span> {
  const status = record(span['status']);
  return {
    trace_id: text(span['traceId']).toLowerCase(),
    span_id: text(span['spanId']).toLowerCase(),
    parent_span_id: text(span['parentSpanId']).toLowerCase(),
    name: text(span['name']),
    start_ns: nanoseconds(span['startTimeUnixNano']),
    end_ns: nanoseconds(span['endTimeUnixNano']),
    attributes: yield* attributesOf(span['attributes']),
    events: yield* each(listIn(span['events']).slice(0, MAX_EVENTS), eventOf),
    status: {
      code: statusCodes.get(status['code']) ?? 0,
      message: text(status['message']),
    },
    resource,
  };
}

/** By number, as the protocol has it, or by name, as some write it. */
const statusCodes = new Map<unknown, number>([
  [STATUS_OK, STATUS_OK],
  [STATUS_ERROR, STATUS_ERROR],
  ['STATUS_CODE_OK', STATUS_OK],
  ['STATUS_CODE_ERROR', STATUS_ERROR],
]);

function* eventOf(value: unknown): Scan<SpanEvent> {
  const event = record(value);
  return {
    time_ns: nanoseconds(event['timeUnixNano']),
    name: text(event['name']),
    attributes: yield* attributesOf(event['attributes']),
  };
}

function* attributesOf(list: unknown): Scan<Map<string, AttributeValue>> {
  const entries = listIn(list).slice(0, MAX_ATTRIBUTES);
  return new Map(yield* each(entries, (entry) => memberOf(entry, 0)));
}

function* memberOf(entry: unknown, depth: number): Scan<[string, AttributeValue]> {
  const { key, value } = record(entry);
  return [text(key), yield* valueOf(value, depth)];
}

function* valueOf(sent: unknown, depth: number): Scan<AttributeValue> {
  if (depth > MAX_VALUE_DEPTH) throw new Problem('invalid', 'An attribute is nested too deeply.');
  const value = record(sent);
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue, bytesValue } = value;
  if (typeof stringValue === 'string') return stringValue;
  if (typeof boolValue === 'boolean') return boolValue;
  if (intValue !== undefined) return integer(bigint(intValue));
  if (typeof doubleValue === 'number') return doubleValue;
  if (typeof doubleValue === 'string') return doubleValue;
  if (typeof bytesValue === 'string') return bytesValue;
  if (arrayValue !== undefined)
    return yield* each(listIn(record(arrayValue)['values']), (item) => valueOf(item, depth + 1));
  if (kvlistValue === undefined) return null;
  const members = yield* each(listIn(record(kvlistValue)['values']), (entry) => memberOf(entry, depth + 1));
  return Object.fromEntries(members);
}

function* each<T>(items: readonly unknown[], read: (item: unknown) => Scan<T>): Scan<T[]> {
  const all: T[] = [];
  for (const item of items) {
    all.push(yield* read(item));
    yield;
  }
  return all;
}

/** Of at most 20 digits, as 64 bits have; anything else is 0. */
function bigint(value: unknown): bigint {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : 0n;
  return typeof value === 'string' && /^-?\d{1,20}$/.test(value) ? BigInt(value) : 0n;
}

/** Some write them as numbers, whose last digits are rounded. */
function nanoseconds(value: unknown): bigint {
  if (typeof value === 'number' && Number.isFinite(value)) return BigInt(Math.trunc(value));
  return bigint(value);
}

const text = (value: unknown) => (typeof value === 'string' ? value : '');
const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function record(value: unknown): Free {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Free) : {};
}
