/** What an answer looks like, without what differs from call to call. Pure. */

export interface AnswerShape {
  readonly status: number;
  /** The types of each field, by its path; the events of a stream are there by name. */
  readonly fields: ReadonlyMap<string, string>;
}

const DEPTH = 4;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function shapeOf(status: number, text: string): AnswerShape {
  const fields = new Map<string, string>();
  if (/^(?:id|event|data|:)/m.test(text) && /^event: /m.test(text)) addEvents(fields, text);
  else add(fields, '', { value: parsed(text), depth: DEPTH });
  return { status, fields };
}

/** What there is and not here, or of another type; by its field. More may be here, and a refusal may use other words. */
export function missing(there: AnswerShape, here: AnswerShape): string[] {
  if (there.status >= 400 && here.status === there.status) return [];
  const status = there.status === here.status ? [] : [`status ${there.status}, here ${here.status}`];
  const fields = [...there.fields].flatMap(([path, type]) => {
    const own = here.fields.get(path);
    if (own === type) return [];
    return [`${path === '' ? 'it' : path}: ${type}, here ${own ?? 'nothing'}`];
  });
  return [...status, ...fields];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text.trim() === '' ? undefined : 'text';
  }
}

function addEvents(fields: Map<string, string>, text: string): void {
  for (const block of text.split(/\r?\n\r?\n/)) {
    const name = /^event: (.*)$/m.exec(block)?.[1];
    const data = /^data: (.*)$/m.exec(block)?.[1];
    if (name !== undefined) add(fields, name.trim(), { value: parsed(data ?? ''), depth: 2 });
  }
}

function add(
  fields: Map<string, string>,
  path: string,
  { value, depth }: { readonly value: unknown; readonly depth: number },
): void {
  const type = value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value;
  const known = fields.get(path)?.split(' or ') ?? [];
  fields.set(path, [...new Set([...known, type])].toSorted().join(' or '));
  if (typeof value !== 'object' || value === null || depth === 0) return;
  const inner = Array.isArray(value)
    ? value.slice(0, 3).map((one) => ['[]', one] as const)
    : Object.entries(value).map(([name, one]) => [UUID.test(name) ? '{id}' : name, one] as const);
  for (const [name, one] of inner)
    add(fields, path === '' ? name : `${path}.${name}`, { value: one, depth: depth - 1 });
}
