/** How values of any shape are told in a line, and read back from an editor. */

/** The beginning of a value in a line: a text as it is, the text of a single member, or JSON. */
export function brief(value: unknown, most = 200): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value.slice(0, most);
  if (typeof value !== 'object') return JSON.stringify(value) ?? '';
  const members = Array.isArray(value) ? [] : Object.values(value);
  if (members.length === 1 && typeof members[0] === 'string') return members[0].slice(0, most);
  return compact(value, most);
}

/** JSON of a value, written only as far as it is shown. */
function compact(value: unknown, most: number): string {
  if (typeof value !== 'object' || value === null) {
    const text = typeof value === 'string' ? JSON.stringify(value.slice(0, most)) : String(value);
    return text.slice(0, most);
  }
  const isList = Array.isArray(value);
  const [open, close] = isList ? '[]' : '{}';
  let text = open ?? '';
  for (const name in value) {
    if (text.length > most) return `${text.slice(0, most)} …`;
    if (text.length > 1) text += ', ';
    if (!isList) text += `${name}: `;
    text += compact((value as Record<string, unknown>)[name], most - text.length);
  }
  return text + (close ?? '');
}

/** JSON on several lines, as an editor shows it; empty for what is not there. */
export const pretty = (value: unknown): string =>
  value === null || value === undefined ? '' : JSON.stringify(value, null, 2);

export type ReadValue =
  | { readonly kind: 'value'; readonly value: Readonly<Record<string, unknown>> | null }
  | { readonly kind: 'fault'; readonly fault: string };

/** Reads a JSON object from an editor; an empty one is null. */
export function readObject(text: string): ReadValue {
  if (text.trim() === '') return { kind: 'value', value: null };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { kind: 'value', value: value as Readonly<Record<string, unknown>> };
    return { kind: 'fault', fault: 'must be a JSON object, such as {"question": "…"}' };
  } catch (error) {
    return { kind: 'fault', fault: `is not JSON: ${error instanceof Error ? error.message : 'unreadable'}` };
  }
}
