/** A look into a large JSON value: one level of it, so that never more than what is seen travels. Pure. */

export type Path = readonly (string | number)[];

export interface OutlineEntry {
  readonly key: string | number;
  readonly kind: 'object' | 'list' | 'text' | 'plain';
  /** The members of an object or list, the characters of a text. */
  readonly size: number;
  /** A plain value as text, or the beginning of a text. */
  readonly text: string;
}

export interface Outline {
  readonly entries: readonly OutlineEntry[];
  readonly size: number;
}

const CUT = 500;

function valueAt(value: unknown, path: Path): unknown {
  let found = value;
  for (const key of path) found = (found as Record<string | number, unknown> | null | undefined)?.[key];
  return found;
}

/** A range of the members of the value at a path. */
export function outlineAt(
  value: unknown,
  { path, from, length }: { readonly path: Path; readonly from: number; readonly length: number },
): Outline {
  const found = valueAt(value, path);
  if (typeof found !== 'object' || found === null) return { entries: [entryOf('', found)], size: 1 };
  if (Array.isArray(found)) {
    const entries = found.slice(from, from + length).map((one, index) => entryOf(from + index, one));
    return { entries, size: found.length };
  }
  const keys = Object.keys(found);
  const entries = keys
    .slice(from, from + length)
    .map((key) => entryOf(key, (found as Record<string, unknown>)[key]));
  return { entries, size: keys.length };
}

/** A part of the text at a path. */
export function textAt(
  value: unknown,
  { path, from, length }: { readonly path: Path; readonly from: number; readonly length: number },
): string {
  const found = valueAt(value, path);
  return (typeof found === 'string' ? found : (JSON.stringify(found, null, 2) ?? '')).slice(
    from,
    from + length,
  );
}

function entryOf(key: string | number, value: unknown): OutlineEntry {
  if (Array.isArray(value)) return { key, kind: 'list', size: value.length, text: '' };
  if (typeof value === 'object' && value !== null)
    return { key, kind: 'object', size: Object.keys(value).length, text: '' };
  if (typeof value === 'string') return { key, kind: 'text', size: value.length, text: value.slice(0, CUT) };
  return { key, kind: 'plain', size: 1, text: String(value) };
}
