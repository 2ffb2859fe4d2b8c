import { inTimeSlices, Problem, type TimeSlice } from '@roadstead/kit';
import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  continueString,
  isSpace,
  OPEN_LIST,
  OPEN_OBJECT,
  type OpenString,
  QUOTE,
  skipSpace,
  STRING,
  steps,
  stringEnd,
  type StringEnd,
} from './json-tokens.ts';

/**
 * Finds the values of a JSON text, as ranges of bytes. `JSON.parse` rounds large integers and forgets how a value was
 * written; values that are kept verbatim are therefore cut out of the text and never written again. Only brackets,
 * commas and strings are examined: a value may turn out to be no JSON without hiding those beside it.
 */

/** The number of bytes after which other work may have its turn. */
const PAUSE_BYTES = 65_536;
/** The same number between members or items, each of which takes more time than its bytes. */
const PAUSE_ITEM_BYTES = 4096;
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
    const name_found = json[at] === QUOTE ? stringEnd(json, at) : undefined;
    const name_end = typeof name_found === 'object' ? yield* skipRest(json, name_found) : name_found;
    const name = name_end === undefined ? undefined : nameIn(json, at, name_end);
    const colon = skipSpace(json, name_end ?? at);
    if (name === undefined || json[colon] !== COLON) return undefined;
    const start = skipSpace(json, colon + 1);
    const found = isNested(json, start) ? yield* skipNested(json, start) : flatEnd(json, start);
    const end = typeof found === 'object' ? yield* skipRest(json, found) : found;
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
    const found = isNested(json, at) ? yield* skipNested(json, at) : flatEnd(json, at);
    const end = typeof found === 'object' ? yield* skipRest(json, found) : found;
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

/** Continues the search for the end of a string; undefined where it has none. */
function* skipRest(json: Uint8Array, open: OpenString): Scan<number | undefined> {
  let end: StringEnd = open;
  while (typeof end === 'object') {
    yield;
    end = continueString(json, end);
  }
  return end;
}

const isNested = (json: Uint8Array, from: number) => json[from] === OPEN_OBJECT || json[from] === OPEN_LIST;

/** The end of a string, a number or a literal; undefined where none begins at `from`, or it has no end. */
function flatEnd(json: Uint8Array, from: number): StringEnd {
  if (json[from] === QUOTE) return stringEnd(json, from);
  let at = from;
  while (at < json.length && !endsLiteral(json[at])) at += 1;
  return at === from ? undefined : at;
}

const endsLiteral = (byte: number | undefined) =>
  byte === COMMA || byte === CLOSE_LIST || byte === CLOSE_OBJECT || byte === COLON || isSpace(byte);

/** The end of the list or object that begins at `from`; undefined where it has none. */
function* skipNested(json: Uint8Array, from: number): Scan<number | undefined> {
  let at = from;
  let depth = 0;
  let pause_at = from + PAUSE_BYTES;
  do {
    const byte = json[at];
    if (byte === undefined) return undefined;
    const step = steps[byte] ?? 0;
    if (step === 0) at += 1;
    else if (step === STRING) {
      const found = stringEnd(json, at);
      const end = typeof found === 'object' ? yield* skipRest(json, found) : found;
      if (end === undefined) return undefined;
      at = end;
    } else {
      depth += step;
      at += 1;
    }
    if (at >= pause_at) {
      pause_at = at + PAUSE_BYTES;
      yield;
    }
  } while (depth > 0);
  return at;
}
