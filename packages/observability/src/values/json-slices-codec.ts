import { Problem, type TimeSlice } from '@roadstead/kit';
import { inTimeSlices } from './in-time-slices.ts';

/**
 * Finds the values of a JSON text, as ranges of bytes. `JSON.parse` rounds large integers and forgets how a value was
 * written; values that are kept verbatim are therefore cut out of the text and never written again. Only brackets,
 * commas and strings are examined: a value may turn out to be no JSON without hiding those beside it. The scanner of
 * `parseJson` refuses a text for any of its values, and counts each; this one jumps over them from quote to quote.
 */

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** The number of bytes after which other work may have its turn. */
const PAUSE_BYTES = 65_536;
/** The same number between members or items, each of which takes more time than its bytes. */
const PAUSE_ITEM_BYTES = 4096;
/** The number of quotes within a string after which other work may have its turn. */
const PAUSE_QUOTES = 4096;
/** The length of most strings: looking at each byte of a shorter one takes less time than a search. */
const SHORT_BYTES = 64;

/** The largest number of members or items at the top of a text: each takes memory beside its bytes. */
const MAX_MEMBERS = 100_000;
const MAX_ELEMENTS = 2_000_000;

const decoder = new TextDecoder();

/**
 * The values of an object's members; the last one where a name is repeated, like `JSON.parse`. Undefined where the
 * text is no object.
 * @throws Problem `too_large`, as all of these.
 */
export async function membersOf(
  json: Uint8Array,
  slice: TimeSlice,
): Promise<Map<string, Uint8Array> | undefined> {
  return inTimeSlices(scanMembers(json), slice);
}

/** The same for small texts, without a pause. */
export function membersAtOnce(json: Uint8Array): Map<string, Uint8Array> | undefined {
  return atOnce(scanMembers(json));
}

/** The items of a list, in their order; undefined where the text is no list. */
export async function elementsOf(json: Uint8Array, slice: TimeSlice): Promise<Uint8Array[] | undefined> {
  return inTimeSlices(scanElements(json), slice);
}

/** The same for small texts, without a pause. */
export function elementsAtOnce(json: Uint8Array): Uint8Array[] | undefined {
  return atOnce(scanElements(json));
}

type Scan<T> = Generator<void, T, void>;

function atOnce<T>(scan: Scan<T>): T {
  let step = scan.next();
  while (step.done !== true) step = scan.next();
  return step.value;
}

function* scanMembers(json: Uint8Array): Scan<Map<string, Uint8Array> | undefined> {
  const members = new Map<string, Uint8Array>();
  const opened = skipSpace(json, 0);
  if (json[opened] !== OPEN_OBJECT) return undefined;
  let at = skipSpace(json, opened + 1);
  let pause_at = at + PAUSE_ITEM_BYTES;
  while (json[at] !== CLOSE_OBJECT) {
    const name_end = shortStringEnd(json, at) ?? (yield* skipString(json, at));
    const name = name_end === undefined ? undefined : nameIn(json, at, name_end);
    const colon = skipSpace(json, name_end ?? at);
    if (name === undefined || json[colon] !== COLON) return undefined;
    const start = skipSpace(json, colon + 1);
    const end = shortStringEnd(json, start) ?? (yield* skipValue(json, start));
    if (end === undefined) return undefined;
    members.set(name, json.subarray(start, end));
    if (members.size > MAX_MEMBERS) throw tooMany(`more than ${MAX_MEMBERS} members`);
    const next = afterComma(json, { end, close: CLOSE_OBJECT });
    if (next === undefined) return undefined;
    at = next;
    if (at < pause_at) continue;
    pause_at = at + PAUSE_ITEM_BYTES;
    yield;
  }
  return isBlank(json, at + 1) ? members : undefined;
}

function* scanElements(json: Uint8Array): Scan<Uint8Array[] | undefined> {
  const elements: Uint8Array[] = [];
  const opened = skipSpace(json, 0);
  if (json[opened] !== OPEN_LIST) return undefined;
  let at = skipSpace(json, opened + 1);
  let pause_at = at + PAUSE_ITEM_BYTES;
  while (json[at] !== CLOSE_LIST) {
    const end = yield* skipValue(json, at);
    if (end === undefined) return undefined;
    elements.push(json.subarray(at, end));
    if (elements.length > MAX_ELEMENTS) throw tooMany(`more than ${MAX_ELEMENTS} items`);
    const next = afterComma(json, { end, close: CLOSE_LIST });
    if (next === undefined) return undefined;
    at = next;
    if (at < pause_at) continue;
    pause_at = at + PAUSE_ITEM_BYTES;
    yield;
  }
  return isBlank(json, at + 1) ? elements : undefined;
}

const tooMany = (what: string) => new Problem('too_large', `The body holds ${what}.`);

/** The value of the string at this place. */
function nameIn(json: Uint8Array, from: number, end: number): string | undefined {
  if (json instanceof Buffer && isPlain(json, from + 1, end - 1))
    return json.toString('latin1', from + 1, end - 1);
  try {
    return JSON.parse(decoder.decode(json.subarray(from, end))) as string;
  } catch {
    return undefined;
  }
}

/** Whether these are ASCII characters without escapes. */
function isPlain(json: Uint8Array, from: number, end: number): boolean {
  for (let at = from; at < end; at += 1) {
    const byte = json[at] ?? 0;
    if (byte < 0x20 || byte > 0x7e || byte === BACKSLASH) return false;
  }
  return true;
}

/** The place of the next value, or of the closing bracket; undefined where neither follows. */
function afterComma(json: Uint8Array, { end, close }: { end: number; close: number }): number | undefined {
  const next = skipSpace(json, end);
  if (json[next] === close) return next;
  return json[next] === COMMA ? skipSpace(json, next + 1) : undefined;
}

function isBlank(json: Uint8Array, from: number): boolean {
  return skipSpace(json, from) === json.length;
}

function skipSpace(json: Uint8Array, from: number): number {
  let at = from;
  while (isSpace(json[at])) at += 1;
  return at;
}

const isSpace = (byte: number | undefined) =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** The end of the string that begins at `from`; undefined where it has none. */
function* skipString(json: Uint8Array, from: number): Scan<number | undefined> {
  if (json[from] !== QUOTE) return undefined;
  let at = from;
  for (let quotes = 1; ; quotes += 1) {
    at = json.indexOf(QUOTE, at + 1);
    if (at < 0) return undefined;
    if (!isEscaped(json, at)) return at + 1;
    if (quotes % PAUSE_QUOTES === 0) yield;
  }
}

/** The end of a short string; undefined where it may be longer. */
function shortStringEnd(json: Uint8Array, from: number): number | undefined {
  if (json[from] !== QUOTE) return undefined;
  const until = Math.min(from + SHORT_BYTES, json.length);
  for (let at = from + 1; at < until; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at += 1;
  }
  return undefined;
}

function isEscaped(json: Uint8Array, at: number): boolean {
  let backslashes = 0;
  while (json[at - 1 - backslashes] === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}

/** The end of the value that begins at `from`; undefined where no value begins there, or it has no end. */
function* skipValue(json: Uint8Array, from: number): Scan<number | undefined> {
  const first = json[from];
  if (first === QUOTE) return yield* skipString(json, from);
  if (first === OPEN_OBJECT || first === OPEN_LIST) return yield* skipNested(json, from);
  let at = from;
  while (at < json.length && !endsLiteral(json[at])) at += 1;
  return at === from ? undefined : at;
}

const endsLiteral = (byte: number | undefined) =>
  byte === COMMA || byte === CLOSE_LIST || byte === CLOSE_OBJECT || byte === COLON || isSpace(byte);

function* skipNested(json: Uint8Array, from: number): Scan<number | undefined> {
  let at = from;
  let depth = 0;
  let pause_at = from + PAUSE_BYTES;
  do {
    const byte = json[at];
    if (byte === undefined) return undefined;
    if (byte === QUOTE) {
      const end = shortStringEnd(json, at) ?? (yield* skipString(json, at));
      if (end === undefined) return undefined;
      at = end;
    } else {
      if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth -= 1;
      at += 1;
    }
    if (at >= pause_at) {
      pause_at = at + PAUSE_BYTES;
      yield;
    }
  } while (depth > 0);
  return at;
}
