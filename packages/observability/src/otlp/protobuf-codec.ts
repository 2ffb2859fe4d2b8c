import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { Problem, type TimeSlice } from '@roadstead/kit';
import { unhurried } from '../ingest/unhurried.ts';
import {
  type Attributes,
  type AttributeValue,
  MAX_ATTRIBUTES,
  MAX_EVENTS,
  MAX_VALUE_DEPTH,
  type Span,
  type SpanEvent,
} from './span.ts';

/**
 * `ExportTraceServiceRequest` and its answer as protocol buffers (opentelemetry-proto, trace/v1 and common/v1). Read field by
 * field with pauses, since one request may hold a hundred thousand spans, and one span as many attributes.
 */

type Scan<T> = Generator<void, T, void>;
/** What is done with a field, by its number; others are skipped. */
type Fields = Readonly<Record<number, (reader: BinaryReader) => Scan<void> | void>>;

/** Of one request: each field of each message counts. */
const MAX_FIELDS = 2_000_000;

/** @throws Problem `invalid` where the body is no such message, `too_large` where it holds too much. */
export async function decodeProtobuf(body: Uint8Array, slice: TimeSlice): Promise<Span[]> {
  try {
    return await unhurried(new RequestScan().request(body), slice);
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw new Problem('invalid', 'The body is cut off or is no ExportTraceServiceRequest.', { cause });
  }
}

class RequestScan {
  #left = MAX_FIELDS;

  *request(body: Uint8Array): Scan<Span[]> {
    const spans: Span[] = [];
    yield* this.#fields(body, { 1: (reader) => this.#resourceSpans(reader.bytes(), spans) });
    return spans;
  }

  *#resourceSpans(bytes: Uint8Array, spans: Span[]): Scan<void> {
    const scopes: Uint8Array[] = [];
    const resource = new Map<string, AttributeValue>();
    yield* this.#fields(bytes, {
      1: (reader) => this.#fields(reader.bytes(), { 1: (one) => this.#attributeInto(resource, one) }),
      2: (reader) => void scopes.push(reader.bytes()),
    });
    // The resource may stand behind what it produced.
    for (const scope of scopes)
      yield* this.#fields(scope, { 2: (reader) => this.#spanInto(spans, resource, reader.bytes()) });
  }

  *#spanInto(spans: Span[], resource: Attributes, bytes: Uint8Array): Scan<void> {
    const span = {
      trace_id: '',
      span_id: '',
      parent_span_id: '',
      name: '',
      start_ns: 0n,
      end_ns: 0n,
      attributes: new Map<string, AttributeValue>(),
      events: [] as SpanEvent[],
      status: { code: 0, message: '' },
      resource,
    };
    yield* this.#fields(bytes, {
      1: (reader) => void (span.trace_id = hex(reader.bytes())),
      2: (reader) => void (span.span_id = hex(reader.bytes())),
      4: (reader) => void (span.parent_span_id = hex(reader.bytes())),
      5: (reader) => void (span.name = reader.string()),
      7: (reader) => void (span.start_ns = BigInt(reader.fixed64())),
      8: (reader) => void (span.end_ns = BigInt(reader.fixed64())),
      9: (reader) => this.#attributeInto(span.attributes, reader),
      11: (reader) => this.#eventInto(span.events, reader.bytes()),
      15: (reader) =>
        this.#fields(reader.bytes(), {
          2: (status) => void (span.status.message = status.string()),
          3: (status) => void (span.status.code = status.int32()),
        }),
    });
    spans.push(span);
  }

  *#eventInto(events: SpanEvent[], bytes: Uint8Array): Scan<void> {
    const event = { time_ns: 0n, name: '', attributes: new Map<string, AttributeValue>() };
    yield* this.#fields(bytes, {
      1: (reader) => void (event.time_ns = BigInt(reader.fixed64())),
      2: (reader) => void (event.name = reader.string()),
      3: (reader) => this.#attributeInto(event.attributes, reader),
    });
    if (events.length < MAX_EVENTS) events.push(event);
  }

  *#attributeInto(attributes: Map<string, AttributeValue>, reader: BinaryReader): Scan<void> {
    const [name, value] = yield* this.#keyValue(reader.bytes(), 0);
    if (attributes.size < MAX_ATTRIBUTES || attributes.has(name)) attributes.set(name, value);
  }

  *#keyValue(bytes: Uint8Array, depth: number): Scan<[string, AttributeValue]> {
    let name = '';
    let value_bytes: Uint8Array = new Uint8Array();
    yield* this.#fields(bytes, {
      1: (reader) => void (name = reader.string()),
      2: (reader) => void (value_bytes = reader.bytes()),
    });
    return [name, yield* this.#value(value_bytes, depth)];
  }

  *#value(bytes: Uint8Array, depth: number): Scan<AttributeValue> {
    if (depth > MAX_VALUE_DEPTH) throw new Problem('invalid', 'An attribute is nested too deeply.');
    const read: { value: AttributeValue } = { value: null };
    yield* this.#fields(bytes, {
      1: (reader) => void (read.value = reader.string()),
      2: (reader) => void (read.value = reader.bool()),
      3: (reader) => void (read.value = integer(BigInt(reader.int64()))),
      4: (reader) => void (read.value = reader.double()),
      5: (reader) => {
        const items: AttributeValue[] = [];
        read.value = items;
        return this.#fields(reader.bytes(), { 1: (list) => this.#itemInto(items, list.bytes(), depth + 1) });
      },
      6: (reader) => {
        const members: Record<string, AttributeValue> = {};
        read.value = members;
        return this.#fields(reader.bytes(), {
          1: (list) => this.#memberInto(members, list.bytes(), depth + 1),
        });
      },
      7: (reader) => void (read.value = Buffer.from(reader.bytes()).toString('base64')),
    });
    return read.value;
  }

  *#itemInto(items: AttributeValue[], bytes: Uint8Array, depth: number): Scan<void> {
    items.push(yield* this.#value(bytes, depth));
  }

  *#memberInto(members: Record<string, AttributeValue>, bytes: Uint8Array, depth: number): Scan<void> {
    const [name, value] = yield* this.#keyValue(bytes, depth);
    Object.defineProperty(members, name, { value, enumerable: true, configurable: true, writable: true });
  }

  *#fields(bytes: Uint8Array, fields: Fields): Scan<void> {
    const reader = new BinaryReader(bytes);
    while (reader.pos < reader.len) {
      this.#left -= 1;
      if (this.#left < 0)
        throw new Problem('too_large', `The body holds more than ${MAX_FIELDS} fields of messages.`);
      const [number, wire] = reader.tag();
      const read = fields[number];
      if (read === undefined) reader.skip(wire, number);
      else yield* read(reader) ?? [];
      yield;
    }
  }
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** As a number where that is exact. */
export function integer(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/** `ExportTraceServiceResponse`; empty where all was taken. */
export function encodeAnswer(answer: { readonly rejected: number; readonly message: string }): Uint8Array {
  const writer = new BinaryWriter();
  if (answer.rejected === 0 && answer.message === '') return writer.finish();
  writer.tag(1, WireType.LengthDelimited).fork();
  if (answer.rejected > 0) writer.tag(1, WireType.Varint).int64(answer.rejected);
  if (answer.message !== '') writer.tag(2, WireType.LengthDelimited).string(answer.message);
  return writer.join().finish();
}
