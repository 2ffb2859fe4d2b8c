/**
 * Long texts cut short, for answers with a budget of characters. A cut text ends in `... (+N chars)`, N being how many
 * code points of the original are missing. Cutting a cut text again counts from the original too, so
 * `cut(cut(text, a), b)` is `cut(text, min(a, b))`.
 */

const SUFFIX = /\.\.\. \(\+(\d{1,15}) chars\)$/;
/** No suffix is longer. */
const SUFFIX_LENGTH = 32;
/** Deeper than any real payload, shallower than what a walk or `JSON.stringify` can take. */
const MAX_DEPTH = 200;
export const TOO_DEEP = '(nested too deeply to be shown)';

/** Ids and times: half of one is worth nothing, and they are what the next question is asked by. */
const KEPT = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$|^\d{4}-\d\d-\d\dT[\d:.]{5,18}(Z|[+-]\d\d:\d\d)?$/i;
const KEPT_LENGTH = 40;

/** A text's first `chars` code points and what is missing; the text itself where it is not longer, an id or a time. */
export function cutText(text: string, chars: number): string {
  if (text.length <= chars || (text.length <= KEPT_LENGTH && KEPT.test(text))) return text;
  const suffix = SUFFIX.exec(text.slice(-SUFFIX_LENGTH));
  const head = suffix === null ? text : text.slice(0, text.length - suffix[0].length);
  // A code point is one or two units, so most texts need not be counted.
  if (head.length <= chars) return text;
  const missing = lengthInPoints(head) - chars;
  if (missing <= 0) return text;
  return `${head.slice(0, unitsOf(head, chars))}... (+${missing + Number(suffix?.[1] ?? 0)} chars)`;
}

/** The same value with each of its texts cut; keys stay. `chars` ≤ 0 cuts nothing. */
export function preview(value: unknown, chars: number, depth = 0): unknown {
  if (typeof value === 'string') return chars > 0 ? cutText(value, chars) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return TOO_DEEP;
  if (Array.isArray(value)) return value.map((item: unknown) => preview(item, chars, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, preview(inner, chars, depth + 1)]),
  );
}

/** How many texts of a value are cut. */
export function countCut(value: unknown): number {
  if (typeof value === 'string') return SUFFIX.test(value.slice(-SUFFIX_LENGTH)) ? 1 : 0;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, inner: unknown) => sum + countCut(inner), 0);
}

/** The length of the longest text of a value, in UTF-16 units. */
export function longestText(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((most: number, inner: unknown) => Math.max(most, longestText(inner)), 0);
}

const HIGH_SURROGATE = /[\ud800-\udbff]/;

/** Texts may be many megabytes, so pairs are looked for rather than every code point made. */
function lengthInPoints(text: string): number {
  if (!HIGH_SURROGATE.test(text)) return text.length;
  let points = text.length;
  for (let at = 0; at < text.length - 1; at += 1) {
    if ((text.charCodeAt(at) & 0xfc_00) !== 0xd8_00) continue;
    if ((text.charCodeAt(at + 1) & 0xfc_00) === 0xdc_00) points -= 1;
  }
  return points;
}

/** Where the first `points` code points of a text end, so that no surrogate pair is split. */
function unitsOf(text: string, points: number): number {
  let at = 0;
  for (let seen = 0; seen < points && at < text.length; seen += 1) at += isPair(text, at) ? 2 : 1;
  return at;
}

const isPair = (text: string, at: number) => (text.codePointAt(at) ?? 0) > 0xff_ff;

/** A text's first `units` UTF-16 units, one fewer where the cut would split a surrogate pair. */
export function headOf(text: string, units: number): string {
  const whole = units > 0 && isPair(text, units - 1) ? units - 1 : units;
  return text.slice(0, Math.max(0, whole));
}
