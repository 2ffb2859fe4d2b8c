import { malformed } from '@roadstead/kit';

/**
 * Text for columns. Postgres accepts neither NUL nor half of a surrogate pair in text and JSON; payloads keep both,
 * since they are bytes.
 */

const NUL = '\u0000';
const REPLACEMENT = '\ufffd';

export function columnText(text: string, max_length?: number): string {
  const cut = max_length === undefined ? text : text.slice(0, max_length);
  return (cut.includes(NUL) ? cut.replaceAll(NUL, REPLACEMENT) : cut).toWellFormed();
}

const MAX_DEPTH = 200;

/**
 * A JSON value whose texts and names fit a `jsonb` column.
 * @throws Problem `malformed` where it is nested more deeply than any program would write it.
 */
export function columnJson(value: unknown, at: string, depth = 0): unknown {
  if (depth > MAX_DEPTH) throw malformed(['body', at], 'is nested too deeply');
  if (typeof value === 'string') return columnText(value);
  if (Array.isArray(value)) return value.map((inner) => columnJson(inner, at, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [columnText(name), columnJson(inner, at, depth + 1)]),
  );
}

/** Whether a JSON text takes about as much room in a `jsonb` column, which writes numbers out: 1e99999 takes 100 kB. */
export function isWritable(json: string): boolean {
  const without_texts = json.replaceAll(/"(?:[^"\\]|\\.)*"/gsu, '');
  return !/e[+-]?0*[1-9]\d{3}/iu.test(without_texts);
}
