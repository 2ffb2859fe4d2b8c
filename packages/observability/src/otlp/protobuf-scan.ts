import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { Problem, type TimeSlice, inTimeSlices } from '@roadstead/kit';
import { type Signal, signals } from './signal-rules.ts';
import { type Attributes, type AttributeValue, MAX_ATTRIBUTES, MAX_VALUE_DEPTH } from './span.ts';

/**
 * Requests as protocol buffers (opentelemetry-proto), read field by field with pauses, since one may hold a hundred thousand
 * spans, and a span as many attributes.
 */

export type Scan<T> = Generator<void, T, void>;

/** A field of a message and its wire type: another type means that it is another message. */
interface Field {
  readonly wire: WireType;
  readonly read: (reader: BinaryReader) => Scan<void> | void;
}
/** The fields by their numbers; others are skipped. */
type Fields = Readonly<Record<number, Field>>;

const fieldOf =
  (wire: WireType) =>
  (read: Field['read']): Field => ({ wire, read });
/** Texts, bytes, messages. */
export const delimited = fieldOf(WireType.LengthDelimited);
export const varint = fieldOf(WireType.Varint);
export const fixed64 = fieldOf(WireType.Bit64);

/** The limit on fields of one request; each field of each message counts. */
const MAX_FIELDS = 2_000_000;

/** @throws Problem `invalid` where the body is no such message, `too_large` where it holds too much. */
export async function scanned<T>(
  signal: Signal,
  read: (scan: ProtobufScan) => Scan<T>,
  slice: TimeSlice,
): Promise<T> {
  try {
    return await inTimeSlices(read(new ProtobufScan()), slice);
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    const { message, path } = signals[signal];
    const others = Object.values(signals).flatMap((one) => (one.path === path ? [] : one.path));
    throw new Problem('invalid', `The body is cut off or is no ${message}.`, {
      hint: `What is sent to ${path} is an ${message}; other signals go to ${others.join(' and ')}.`,
      cause,
    });
  }
}

export class ProtobufScan {
  #left = MAX_FIELDS;

  /**
   * The records of a request with their resources: resources hold scopes, and these hold the records, whatever the
   * signal.
   */
  *perResource(body: Uint8Array, read: (bytes: Uint8Array, resource: Attributes) => Scan<void>): Scan<void> {
    yield* this.fields(body, { 1: delimited((reader) => this.#ofResource(reader.bytes(), read)) });
  }

  *#ofResource(bytes: Uint8Array, read: (bytes: Uint8Array, resource: Attributes) => Scan<void>): Scan<void> {
    const scopes: Uint8Array[] = [];
    const resource = new Map<string, AttributeValue>();
    const attribute = delimited((one) => this.attributeInto(resource, one));
    yield* this.fields(bytes, {
      1: delimited((reader) => this.fields(reader.bytes(), { 1: attribute })),
      2: delimited((reader) => void scopes.push(reader.bytes())),
    });
    // The resource may follow its records.
    for (const scope of scopes)
      yield* this.fields(scope, { 2: delimited((reader) => read(reader.bytes(), resource)) });
  }

  *attributeInto(attributes: Map<string, AttributeValue>, reader: BinaryReader): Scan<void> {
    const [name, value] = yield* this.#keyValue(reader.bytes(), 0);
    if (attributes.size < MAX_ATTRIBUTES || attributes.has(name)) attributes.set(name, value);
  }

  *#keyValue(bytes: Uint8Array, depth: number): Scan<[string, AttributeValue]> {
    let name = '';
    let value_bytes: Uint8Array = new Uint8Array();
    yield* this.fields(bytes, {
      1: delimited((reader) => void (name = reader.string())),
      2: delimited((reader) => void (value_bytes = reader.bytes())),
    });
    return [name, yield* this.value(value_bytes, depth)];
  }

  *value(bytes: Uint8Array, depth: number): Scan<AttributeValue> {
    if (depth > MAX_VALUE_DEPTH) throw new Problem('invalid', 'An attribute is nested too deeply.');
    const read: { value: AttributeValue } = { value: null };
    yield* this.fields(bytes, {
      1: delimited((reader) => void (read.value = reader.string())),
      2: varint((reader) => void (read.value = reader.bool())),
      3: varint((reader) => void (read.value = integer(BigInt(reader.int64())))),
      4: fixed64((reader) => void (read.value = double(reader.double()))),
      5: delimited((reader) => {
        const items: AttributeValue[] = [];
        read.value = items;
        return this.fields(reader.bytes(), {
          1: delimited((list) => this.#itemInto(items, list.bytes(), depth + 1)),
        });
      }),
      6: delimited((reader) => {
        const members: Record<string, AttributeValue> = {};
        read.value = members;
        return this.fields(reader.bytes(), {
          1: delimited((list) => this.#memberInto(members, list.bytes(), depth + 1)),
        });
      }),
      7: delimited((reader) => void (read.value = Buffer.from(reader.bytes()).toString('base64'))),
    });
    return read.value;
  }

  *#itemInto(items: AttributeValue[], bytes: Uint8Array, depth: number): Scan<void> {
    items.push(yield* this.value(bytes, depth));
  }

  *#memberInto(members: Record<string, AttributeValue>, bytes: Uint8Array, depth: number): Scan<void> {
    const [name, value] = yield* this.#keyValue(bytes, depth);
    Object.defineProperty(members, name, { value, enumerable: true, configurable: true, writable: true });
  }

  *fields(bytes: Uint8Array, fields: Fields): Scan<void> {
    const reader = new BinaryReader(bytes);
    while (reader.pos < reader.len) {
      this.#left -= 1;
      if (this.#left < 0)
        throw new Problem('too_large', `The body holds more than ${MAX_FIELDS} fields of messages.`);
      const [number, wire] = reader.tag();
      const field = fields[number];
      if (field !== undefined && field.wire !== wire)
        throw new Error(`Field ${number} has another wire type.`);
      if (field === undefined) reader.skip(wire, number);
      else yield* field.read(reader) ?? [];
      yield;
    }
  }
}

export const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** A number that JSON can't write becomes a text. */
const double = (value: number): number | string => (Number.isFinite(value) ? value : String(value));

/** An integer as a number where that is exact. */
export function integer(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}
