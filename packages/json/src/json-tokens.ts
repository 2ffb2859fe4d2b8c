/**
 * The tokens of a JSON text as bytes: which bytes are tokens outside of strings, and where strings end. All that reads
 * JSON byte by byte stands on it. It knows no limits and no levels; whether numbers, literals and characters are valid
 * shows when a part is parsed.
 */

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const BACKSLASH = 0x5c;
export const OPEN_LIST = 0x5b;
export const CLOSE_LIST = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;

/** The step of a quote. */
export const STRING = 2;
/** How many levels down each byte leads where it stands outside of strings; a quote leads into a string. */
export const steps = new Int8Array(256);
for (const byte of [OPEN_LIST, OPEN_OBJECT]) steps[byte] = 1;
for (const byte of [CLOSE_LIST, CLOSE_OBJECT]) steps[byte] = -1;
steps[QUOTE] = STRING;

/** The bytes that have a meaning outside of strings; all others are space, or belong to a number or a literal. */
export const isToken = new Uint8Array(256);
for (const byte of [QUOTE, COMMA, COLON, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT]) isToken[byte] = 1;

/** Looking at each of so many bytes takes less time than a search: most strings are shorter, and escapes stand close. */
const LOOK_BYTES = 64;
/** The number of bytes of a string after which a search pauses. */
const PAUSE_BYTES = 1_048_576;

/** A search that has paused: others may have their turn before it continues at `searched_to`. */
export interface OpenString {
  readonly searched_to: number;
}

/** The place behind a string; undefined where it has no end. */
export type StringEnd = number | OpenString | undefined;

/** The end of the string that begins with the quote at `from`. */
export function stringEnd(json: Uint8Array, from: number): StringEnd {
  const look_to = Math.min(from + LOOK_BYTES, json.length);
  let at = from + 1;
  for (; at < look_to; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at += 1;
  }
  return continueString(json, { searched_to: at });
}

/** Continues the search for the end of a string. */
export function continueString(json: Uint8Array, { searched_to }: OpenString): StringEnd {
  const until = Math.min(searched_to + PAUSE_BYTES, json.length);
  // It always stands before a whole character or a whole escape.
  let at = searched_to;
  while (at < until) {
    const quote = quoteBefore(until, json, at);
    const is_escaped = isEscaped(json, quote, { from: at });
    if (quote < until && !is_escaped) return quote + 1;
    at = is_escaped ? quote + 1 : quote;
    // Where one escape stands, more stand close: a search for each would take longer than looking at each byte.
    for (let look_to = Math.min(at + LOOK_BYTES, until); at < look_to; at += 1) {
      const byte = json[at];
      if (byte === QUOTE) return at + 1;
      if (byte !== BACKSLASH) continue;
      at += 1;
      look_to = Math.min(at + LOOK_BYTES, until);
    }
  }
  return until === json.length ? undefined : { searched_to: at };
}

/** The next quote from `from` on, or `until`. */
function quoteBefore(until: number, json: Uint8Array, from: number): number {
  const found = (until < json.length ? json.subarray(0, until) : json).indexOf(QUOTE, from);
  return found < 0 ? until : found;
}

/** The place behind spaces. */
export function skipSpace(json: Uint8Array, from: number): number {
  let at = from;
  while (isSpace(json[at])) at += 1;
  return at;
}

export const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** Whether the character at `at` belongs to an escape; a whole character or escape begins at `from`, before it. */
export function isEscaped(json: Uint8Array, at: number, { from }: { readonly from: number }): boolean {
  let before = at;
  while (before > from && json[before - 1] === BACKSLASH) before -= 1;
  return (at - before) % 2 === 1;
}
