/**
 * Where the values of a JSON text stand, in bytes. `JSON.parse` rounds large integers and forgets how a value was
 * written; what is kept verbatim is therefore cut out of the text and never written anew. The text must be valid:
 * whoever calls has parsed it before.
 */

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const decoder = new TextDecoder();

/** The values of an object's members; of a name that stands there twice, the last one, as `JSON.parse` has it. */
export function membersOf(json: Uint8Array): Map<string, Uint8Array> {
  const members = new Map<string, Uint8Array>();
  let at = skipSpace(json, skipSpace(json, 0) + 1);
  while (json[at] !== CLOSE_OBJECT) {
    const name_end = skipString(json, at);
    const name = JSON.parse(decoder.decode(json.subarray(at, name_end))) as string;
    const start = skipSpace(json, skipSpace(json, name_end) + 1);
    const end = skipValue(json, start);
    members.set(name, json.subarray(start, end));
    at = afterComma(json, end);
  }
  return members;
}

/** The items of a list, in their order. */
export function elementsOf(json: Uint8Array): Uint8Array[] {
  const elements: Uint8Array[] = [];
  let at = skipSpace(json, skipSpace(json, 0) + 1);
  while (json[at] !== CLOSE_LIST) {
    const end = skipValue(json, at);
    elements.push(json.subarray(at, end));
    at = afterComma(json, end);
  }
  return elements;
}

function afterComma(json: Uint8Array, end: number): number {
  const next = skipSpace(json, end);
  return json[next] === COMMA ? skipSpace(json, next + 1) : next;
}

function skipSpace(json: Uint8Array, from: number): number {
  let at = from;
  while (isSpace(json[at])) at += 1;
  return at;
}

const isSpace = (byte: number | undefined) =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** The end of the string that begins at `from`. */
function skipString(json: Uint8Array, from: number): number {
  let at = from;
  do {
    at = json.indexOf(QUOTE, at + 1);
    if (at < 0) throw new RangeError('The text is not valid JSON.');
  } while (isEscaped(json, at));
  return at + 1;
}

function isEscaped(json: Uint8Array, at: number): boolean {
  let backslashes = 0;
  while (json[at - 1 - backslashes] === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}

function skipValue(json: Uint8Array, from: number): number {
  const first = json[from];
  if (first === QUOTE) return skipString(json, from);
  if (first === OPEN_OBJECT || first === OPEN_LIST) return skipNested(json, from);
  let at = from;
  while (at < json.length && !endsLiteral(json[at])) at += 1;
  return at;
}

const endsLiteral = (byte: number | undefined) =>
  byte === COMMA || byte === CLOSE_LIST || byte === CLOSE_OBJECT || byte === COLON || isSpace(byte);

function skipNested(json: Uint8Array, from: number): number {
  let at = from;
  let depth = 0;
  do {
    const byte = json[at];
    if (byte === undefined) throw new RangeError('The text is not valid JSON.');
    if (byte === QUOTE) {
      at = skipString(json, at);
      continue;
    }
    if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1;
    if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth -= 1;
    at += 1;
  } while (depth > 0);
  return at;
}
