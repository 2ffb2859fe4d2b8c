/**
 * Cuts long texts, for answers with a budget of characters. A cut text is shown as its head and `... (+N chars)`,
 * where N is the number of missing code points. Until it is written it stays a `CutText`, so that it may be cut
 * again, `cut(cut(text, a), b)` being `cut(text, min(a, b))`, and so that a recorded text with such an ending is not
 * taken for a cut one.
 */

export class CutText {
  readonly head: string;
  /**
   * Code points of the original after the head; undefined where it represents more than a text, 0 where it stays
   * whole.
   */
  readonly missing: number | undefined;

  constructor(head: string, missing: number | undefined) {
    this.head = head;
    this.missing = missing;
  }

  /** The text as it is shown. */
  toJSON(): string {
    return this.missing ? `${this.head}... (+${this.missing} chars)` : this.head;
  }
}

export type ShownText = string | CutText;

/** Deeper than any real payload, but within what a recursion or `JSON.stringify` can handle. */
const MAX_DEPTH = 200;
export const TOO_DEEP = new CutText('(nested too deeply to be shown)', undefined);

/** Ids and times: half of one is worthless, and the next question needs them. */
const KEPT = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$|^\d{4}-\d\d-\d\dT[\d:.]{5,18}(Z|[+-]\d\d:\d\d)?$/i;
const KEPT_LENGTH = 40;

const LONGEST_KEPT = 300;

/** A text that the next question needs, so that it is not cut unless it is very long. */
export const kept = (text: string): ShownText => (text.length > LONGEST_KEPT ? text : new CutText(text, 0));

/**
 * A text's first `chars` code points and the number of missing ones; the text itself where it is not longer, an id or
 * a time.
 */
export function cutText(text: ShownText, chars: number): ShownText {
  if (typeof text !== 'string')
    return text.missing ? (cutHead(text.head, chars, text.missing) ?? text) : text;
  return text.length <= KEPT_LENGTH && KEPT.test(text) ? text : (cutHead(text, chars, 0) ?? text);
}

/** Undefined where there is nothing to cut. */
function cutHead(head: string, chars: number, missing_before: number): CutText | undefined {
  // A code point is one or two units, so most texts need not be counted.
  if (head.length <= chars) return undefined;
  const missing = lengthInPoints(head) - chars;
  return missing <= 0
    ? undefined
    : new CutText(head.slice(0, unitsOf(head, chars)), missing + missing_before);
}

/** The same value with each of its texts cut; keys stay. `chars` ≤ 0 cuts nothing. */
export function preview(value: unknown, chars: number, depth = 0): unknown {
  if (isText(value)) return chars > 0 ? cutText(value, chars) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return TOO_DEEP;
  if (Array.isArray(value)) return value.map((item: unknown) => preview(item, chars, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, preview(inner, chars, depth + 1)]),
  );
}

/** The same value with its cut texts as they are shown. */
export function written(value: unknown): unknown {
  if (value instanceof CutText) return value.toJSON();
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(written);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, written(inner)]));
}

/** The number of cut texts in a value. */
export function countCut(value: unknown): number {
  if (value instanceof CutText) return value.missing === 0 ? 0 : 1;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, inner: unknown) => sum + countCut(inner), 0);
}

/** The lengths of a value's texts, in UTF-16 units; for cut texts, the lengths of their heads. */
export function textLengths(value: unknown): number[] {
  if (isText(value)) return [typeof value === 'string' ? value.length : value.head.length];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textLengths);
}

const isText = (value: unknown): value is ShownText => typeof value === 'string' || value instanceof CutText;

const HIGH_SURROGATE = /[\ud800-\udbff]/;

/** Texts may be many megabytes, so pairs are searched for instead of creating every code point. */
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
