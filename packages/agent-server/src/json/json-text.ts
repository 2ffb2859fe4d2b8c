import { createHash, hash as digestOf } from 'node:crypto';
import { parseJson } from '@roadstead/json';
import { joined, TimeSlice } from '@roadstead/kit';
import { BytePieces } from '@roadstead/postgres';

/**
 * Writes JSON that jsonb and strict parsers accept, and reads it. Large values are written and read a few milliseconds
 * at a time, so that a message of 25 MB does not delay everybody else's.
 */

/** The size from which on a value is large. */
const LARGE_BYTES = 262_144;
const PIECE_LENGTH = 65_536;

/** Writes JSON at once; U+0000 is dropped, and half a surrogate pair replaced. */
export function toJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (!/\\u(?:0000|d[89a-f])/.test(text)) return text;
  return text.replaceAll(
    /(?<!\\)((?:\\\\)*)\\u(0000|d[89a-f][0-9a-f]{2})/g,
    (_all, before: string, code: string) => before + (code === '0000' ? '' : '\\ufffd'),
  );
}

/** JSON of any size; a large one in pieces of UTF-8, since joining them alone takes long. */
export type JsonText = string | readonly Buffer[];

/** The same for a value of any size. */
export async function writeJson(value: unknown): Promise<JsonText> {
  return isLarge(value) ? writeLarge(value) : toJson(value);
}

export async function writeLarge(value: unknown): Promise<readonly Buffer[]> {
  const pieces: Buffer[] = [];
  await writePieces(jsonPieces(value, plainForm), (text) => pieces.push(Buffer.from(text)));
  return pieces;
}

/** The parameter for a statement's `$1::text::jsonb`. */
export async function jsonParameter(value: unknown): Promise<string | BytePieces> {
  const text = await writeJson(value);
  return typeof text === 'string' ? text : new BytePieces(text);
}

/** The same for a list of values that are JSON already. */
export async function listParameter(texts: readonly string[]): Promise<string | BytePieces> {
  const list = `[${texts.join()}]`;
  if (list.length < LARGE_BYTES) return list;
  const pieces: Buffer[] = [];
  await writePieces(cut(list), (text) => pieces.push(Buffer.from(text)));
  return new BytePieces(pieces);
}

const kept_texts = new WeakMap<object, string>();

/**
 * The cached JSON of a value that is written several times and never changes; undefined for a large one. A list whose
 * last value is cached is written with it.
 */
export function keptText(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return kept_texts.get(value);
}

/** Caches a value's JSON, unless it is large. */
export function keepText(value: unknown): void {
  if (typeof value !== 'object' || value === null || kept_texts.has(value)) return;
  const last = Array.isArray(value) ? keptText(value.at(-1)) : undefined;
  if (last !== undefined) {
    const before = (value as readonly unknown[]).slice(0, -1);
    if (isLarge(before)) return;
    kept_texts.set(value, `[${before.map((one) => `${toJson(one ?? null)},`).join('')}${last}]`);
  } else if (!isLarge(value)) kept_texts.set(value, toJson(value));
}

/** Parses a JSON text of the database. */
export async function readJson<T>(text: string): Promise<T> {
  if (text.length < LARGE_BYTES) return JSON.parse(text) as T;
  const unlimited = { max_bytes: Infinity, max_values: Infinity, max_keys: Infinity, max_depth: Infinity };
  const pieces: Buffer[] = [];
  await writePieces(cut(text), (piece) => pieces.push(Buffer.from(piece)));
  return (await parseJson(await joined(pieces), unlimited)) as T;
}

/** Equal texts for equal values, in any order of their keys. */
export function canonicalText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  const fields = value as Readonly<Record<string, unknown>>;
  const texts = canonicalForm
    .names(value)
    .map((key) => `${JSON.stringify(key)}:${canonicalText(fields[key])}`);
  return `{${texts.join()}}`;
}

/** SHA-256 of the canonical text. */
export async function canonicalDigest(value: unknown): Promise<string> {
  if (!isLarge(value)) return digestOf('sha256', canonicalText(value), 'hex');
  const hash = createHash('sha256');
  await writePieces(jsonPieces(value, canonicalForm), (text) => hash.update(text));
  return hash.digest('hex');
}

/** Whether writing the value takes long; stops counting once it is known. */
export function isLarge(value: unknown): boolean {
  return roomLeft(value, LARGE_BYTES) < 0;
}

function roomLeft(value: unknown, room: number): number {
  if (typeof value === 'string') return room - value.length - 2;
  if (typeof value !== 'object' || value === null) return room - 8;
  let left = room;
  // As in `weightOf`, iterating a list by names takes ten times as long.
  if (Array.isArray(value)) {
    for (const one of value as readonly unknown[]) {
      left = roomLeft(one, left - 4);
      if (left < 0) return left;
    }
    return left;
  }
  for (const name in value) {
    left = roomLeft((value as Readonly<Record<string, unknown>>)[name], left - name.length - 4);
    if (left < 0) return left;
  }
  return left;
}

interface Form {
  /** The JSON of a value that is not large. */
  readonly text: (value: unknown) => string | undefined;
  /** The keys alone: making pairs of many takes long. */
  readonly names: (value: object) => readonly string[];
}
const plainForm: Form = { text: toJson, names: Object.keys };
const canonicalForm: Form = {
  text: canonicalText,
  names: (value) => Object.keys(value).toSorted((a, b) => (a < b ? -1 : 1)),
};

/** On a stack of its own: a generator for each level would pass on every piece of all levels below it. */
function* jsonPieces(value: unknown, form: Form): Generator<string> {
  if (!isLarge(value)) return yield form.text(value) ?? 'null';
  const open = [partsOf(value, form)];
  for (let parts; (parts = open.at(-1)) !== undefined;) {
    const part = parts.next();
    if (part.done === true) open.pop();
    else if (typeof part.value === 'string') yield part.value;
    else open.push(partsOf(part.value.large, form));
  }
}

type Part = string | { readonly large: unknown };

/** The text of a large value, but for the large ones in it. */
function* partsOf(value: unknown, form: Form): Generator<Part, void, void> {
  const partOf = (one: unknown): Part => (isLarge(one) ? { large: one } : (form.text(one) ?? 'null'));
  if (typeof value === 'string') yield* stringPieces(value);
  else if (Array.isArray(value)) {
    for (const [at, one] of value.entries()) {
      yield at === 0 ? '[' : ',';
      yield partOf(one);
    }
    yield ']';
  } else {
    let before = '{';
    for (const name of form.names(value as object)) {
      const one = (value as Readonly<Record<string, unknown>>)[name];
      if (one === undefined) continue;
      yield `${before}${toJson(name)}:`;
      yield partOf(one);
      before = ',';
    }
    yield before === '{' ? '{}' : '}';
  }
}

function* stringPieces(text: string): Generator<string> {
  yield '"';
  for (const piece of cut(text)) yield toJson(piece).slice(1, -1);
  yield '"';
}

/** No piece ends within a surrogate pair. */
function* cut(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    const end = at + PIECE_LENGTH;
    const next = end < text.length && isFirstOfPair(text.charCodeAt(end - 1)) ? end + 1 : end;
    yield text.slice(at, next);
    at = next;
  }
}

const isFirstOfPair = (code: number) => code >= 0xd8_00 && code <= 0xdb_ff;

async function writePieces(pieces: Iterable<string>, write: (text: string) => unknown): Promise<void> {
  const slice = new TimeSlice();
  await slice.next();
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (text.length >= PIECE_LENGTH) {
      write(text);
      text = '';
    }
    if (slice.isOver()) await slice.next();
  }
  write(text);
}
