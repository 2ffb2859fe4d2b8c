import { CutText, cutText, preview, textLengths, TOO_DEEP } from './text-cut-rules.ts';

/**
 * Prepares items for display, so small that building pages is cheap, whatever was recorded: no page can show more of
 * an item than this keeps of it.
 */

export const MAX_CHARS = 30_000;
/** Each value takes at least two characters of a page. */
const MAX_VALUES = MAX_CHARS / 2;
const MAX_DEPTH = 200;
const REST = new CutText('(more was recorded than can be shown)', undefined);

export interface ShownItem {
  readonly value: unknown;
  /** The size of its JSON, in UTF-16 units. */
  readonly size: number;
}

/**
 * @param preview_chars longer texts are cut to this many code points; 0 or less cuts none that could be shown whole.
 */
export function shown(item: unknown, preview_chars: number): ShownItem {
  const small = bounded(item);
  const most = lengthToCut(textLengths(small));
  const value = preview(small, preview_chars > 0 ? Math.min(preview_chars, most) : most);
  return { value, size: JSON.stringify(value).length };
}

/** The value with as much structure as a page can hold, and no text longer than a page. */
export function bounded(value: unknown): unknown {
  let left = MAX_VALUES;
  const copy = (inner: unknown, depth: number): unknown => {
    left -= 1;
    if (typeof inner === 'string' || inner instanceof CutText) return cutText(inner, MAX_CHARS);
    if (typeof inner !== 'object' || inner === null) return inner;
    if (depth >= MAX_DEPTH) return TOO_DEEP;
    if (Array.isArray(inner)) {
      const items: unknown[] = [];
      for (const one of inner) {
        if (left <= 0) return [...items, REST];
        items.push(copy(one, depth + 1));
      }
      return items;
    }
    const members: [string, unknown][] = [];
    for (const key in inner) {
      if (!Object.hasOwn(inner, key)) continue;
      // Half a name is another name, so names that no page can hold are left out.
      left -= Math.ceil(key.length / 2);
      if (left <= 0) {
        members.push(['_rest', REST]);
        break;
      }
      members.push([key, copy((inner as Record<string, unknown>)[key], depth + 1)]);
    }
    return Object.fromEntries(members);
  };
  return copy(value, 0);
}

/** The length to which texts of these lengths are cut so that together they fill a page, or a little more. */
export function lengthToCut(lengths: readonly number[]): number {
  const ascending = lengths.toSorted((a, b) => a - b);
  let room = MAX_CHARS;
  for (const [at, length] of ascending.entries()) {
    const others = ascending.length - at;
    if (length * others > room) return Math.max(1, Math.ceil(room / others));
    room -= length;
  }
  return MAX_CHARS;
}
