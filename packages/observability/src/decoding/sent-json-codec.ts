import { checkJson, parseJson } from '@roadstead/json';
import { Problem, TimeSlice } from '@roadstead/kit';
import { Faults } from './faults.ts';
import type { PayloadKind } from '../records/run-operation.ts';
import type { SentPayload } from './run-fields-rules.ts';

/** JSON as clients send it: parsed, and kept as it was written. */

/** The state of reading one request: a little at a time, with notes on its faults. */
export interface BodyReading {
  readonly slice: TimeSlice;
  readonly faults: Faults;
  readonly room: ValueRoom;
}

/** Begins to read one body. */
export const beginReading = (): BodyReading => ({
  slice: new TimeSlice(),
  faults: new Faults(),
  room: new ValueRoom(),
});

/** The limit on values in all texts of one body together. */
const MAX_VALUES = 2_000_000;

/**
 * Counts the values in the texts of a body before anything is built from them: one text with too many spoils no
 * other.
 */
export class ValueRoom {
  #left = MAX_VALUES;

  /** Whether a text is within the limits of one, and the body still has room for it. */
  async takes(json: Uint8Array): Promise<boolean> {
    try {
      this.#left -= await checkJson(json, { max_values: this.#left });
      return true;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      // The reader of the text finds out that it is no JSON.
      return error.kind === 'malformed';
    }
  }
}

/** A larger payload is not kept: a note takes its place, and the rest of the run is stored. */
export const MAX_PAYLOAD_BYTES = 20_971_520;
/** The size up to which a text is parsed at once. */
const SMALL_BYTES = 65_536;
export const TOO_MUCH = 'is nested too deeply or holds too many values';
const NOT_JSON = 'is not valid JSON in UTF-8';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/**
 * Counts the values of a text before anything parses it.
 * @throws Problem `too_large` beyond the limits of one body; a text that is no JSON is left to its reader.
 */
export async function countJson(json: Uint8Array): Promise<void> {
  try {
    await checkJson(json);
  } catch (error) {
    if (error instanceof Problem && error.kind === 'malformed') return;
    throw error;
  }
}

/** The value of a counted text; undefined where it is no JSON. */
export async function readJson(json: Uint8Array): Promise<{ readonly value: unknown } | undefined> {
  try {
    if (json.length > SMALL_BYTES) return { value: await parseJson(json) };
    return { value: JSON.parse(decoder.decode(json)) as unknown };
  } catch {
    return undefined;
  }
}

/** Whether a text may be read at once. */
export const isSmall = (json: Uint8Array) => json.length <= SMALL_BYTES;

/** The values of a small object's members, read at once; undefined where one of them is no JSON. */
export function readObject(json: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(decoder.decode(json)) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/**
 * The requested values that are JSON, by their names; the others are noted.
 * @param whole the values where all were parsed at once.
 */
export async function readMembers(
  members: ReadonlyMap<string, Uint8Array>,
  {
    names,
    at,
    whole,
  }: {
    readonly names: readonly string[];
    readonly at: string;
    readonly whole?: Readonly<Record<string, unknown>> | undefined;
  },
  { slice, faults, room }: BodyReading,
): Promise<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const name of names) {
    const json = members.get(name);
    if (json === undefined) continue;
    if (whole !== undefined) {
      values[name] = whole[name];
      continue;
    }
    if (!(await room.takes(json))) {
      faults.add(`${at}.${name}`, `${TOO_MUCH}, and is left out`);
      continue;
    }
    const read = await readJson(json);
    if (read === undefined) faults.add(`${at}.${name}`, `${NOT_JSON}, and is left out`);
    else values[name] = read.value;
    if (slice.isOver()) await slice.next();
  }
  return values;
}

/**
 * A payload; one that is no JSON is kept as a text in the place where readers look for it, and one that holds too
 * much is replaced by a note.
 */
export async function readPayload(
  sent: {
    readonly kind: PayloadKind;
    readonly json: Uint8Array;
    readonly at: string;
    /** Its value, where it was parsed already. */
    readonly known?: { readonly value: unknown } | undefined;
  },
  { slice, faults, room }: BodyReading,
): Promise<SentPayload | undefined> {
  const { kind, json, at, known } = sent;
  if (known !== undefined) return { json, value: known.value };
  if (json.length > MAX_PAYLOAD_BYTES) {
    faults.add(at, 'is too large, and a note stands in its place');
    return noteOf(kind, tooManyBytes(json.length));
  }
  if (!(await room.takes(json))) {
    faults.add(at, `${TOO_MUCH}, and a note stands in its place`);
    return noteOf(kind, HOLDS_TOO_MUCH);
  }
  const read = await readJson(json);
  if (slice.isOver()) await slice.next();
  if (read !== undefined) return { json, value: read.value };
  if (json.length <= SMALL_BYTES && json.every(isSpace)) {
    faults.add(at, 'is empty, and is left out');
    return undefined;
  }
  faults.add(at, `${NOT_JSON}, and is kept as text`);
  const text = await writtenText(json, slice);
  return text.length > MAX_PAYLOAD_BYTES ? noteOf(kind, tooManyBytes(text.length)) : textPayload(kind, text);
}

const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** Bytes that are not JSON, as a JSON text; bytes that are not UTF-8 are replaced. */
async function writtenText(bytes: Uint8Array, slice: TimeSlice): Promise<Buffer> {
  const decoding = new TextDecoder();
  const written: Uint8Array[] = [Buffer.from('"')];
  for (let from = 0; from < bytes.length; from += SMALL_BYTES) {
    const piece = bytes.subarray(from, from + SMALL_BYTES);
    const text = decoding.decode(piece, { stream: from + SMALL_BYTES < bytes.length });
    written.push(encoder.encode(JSON.stringify(text).slice(1, -1)));
    if (slice.isOver()) await slice.next();
  }
  return Buffer.concat([...written, Buffer.from('"')]);
}

/** The shape that readers expect: for events a list of objects, for an error a text, for the rest an object. */
const around: Readonly<Record<PayloadKind, readonly [before: string, after: string]>> = {
  inputs: ['{"text":', '}'],
  outputs: ['{"text":', '}'],
  extra: ['{"text":', '}'],
  serialized: ['{"text":', '}'],
  events: ['[{"name":"unreadable","text":', '}]'],
  error: ['', ''],
};

async function textPayload(kind: PayloadKind, text: Buffer): Promise<SentPayload> {
  const [before, after] = around[kind];
  const json = Buffer.concat([Buffer.from(before), text, Buffer.from(after)]);
  return { json, value: (await readJson(json))?.value };
}

const HOLDS_TOO_MUCH = 'Left out: it is nested deeper, or holds more values, than is kept of one field.';
const tooManyBytes = (bytes: number) =>
  `Left out: ${bytes} bytes are more than the ${MAX_PAYLOAD_BYTES} that are kept of one field.`;

/** A note in the shape that readers expect, in place of a payload that can't be kept. */
function noteOf(kind: PayloadKind, sentence: string): SentPayload {
  const value =
    kind === 'error'
      ? sentence
      : kind === 'events'
        ? [{ name: 'omitted', message: sentence }]
        : { omitted: sentence };
  return { json: encoder.encode(JSON.stringify(value)), value };
}
