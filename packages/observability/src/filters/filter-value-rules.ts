import { isUuid, type Problem } from '@roadstead/kit';
import { instantOf } from '../values/instant-rules.ts';
import type { Refuse } from './filter-tokens.ts';
import type { Comparison, Field, FieldRef, FieldType, Scalar } from './filter-tree.ts';
import { nearestName } from './nearest-name-rules.ts';

/** The comparators and values that a field accepts. */

type Comparator = Comparison['comparator'];

const ordered: readonly Comparator[] = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'in'];
const byType: Readonly<Record<FieldType, readonly Comparator[]>> = {
  text: [...ordered, 'like', 'notlike'],
  uuid: ['eq', 'neq', 'in'],
  number: ordered,
  instant: ordered,
  duration: ordered,
  boolean: ['eq', 'neq'],
  tags: ['has', 'in', 'eq', 'neq', 'like', 'notlike'],
  object: ['has', 'exists', 'eq', 'neq', 'like', 'notlike'],
};

export function comparatorsOf(field: FieldRef): readonly Comparator[] {
  return field.path === undefined ? byType[field.type] : byType.text;
}

type Read =
  | { readonly ok: true; readonly value: Comparison['value'] }
  | { readonly ok: false; readonly what: string; readonly hint?: string | undefined };

const wrong = (what: string, hint?: string): Read => ({ ok: false, what, hint });

export function refuseValue(
  read: Extract<Read, { ok: false }>,
  { at, refuse }: { readonly at: number; readonly refuse: Refuse },
): Problem {
  return refuse(at, read.what, read.hint);
}

export function readValue(
  value: Scalar | readonly Scalar[],
  { field, comparator }: { readonly field: FieldRef; readonly comparator: Comparator },
): Read {
  if (comparator === 'in') return readList(value, field);
  if (isList(value)) return wrong('one value is expected, not a list', 'Lists are compared by in(…).');
  if (comparator === 'has' && field.type === 'object') return readMembers(value);
  if (comparator === 'exists') {
    return typeof value === 'string'
      ? { ok: true, value }
      : wrong('the name of a key is expected, in quotes');
  }
  if (value === null) {
    return comparator === 'eq' || comparator === 'neq'
      ? { ok: true, value }
      : wrong('null is compared by eq and neq only');
  }
  if (comparator === 'like' || comparator === 'notlike') return readPattern(value);
  if (field.type === 'object' && field.path === undefined)
    return wrong('only null and patterns are compared with it as a whole', 'Name a key: `metadata.tenant`.');
  return readScalar(value, field);
}

const isList = (value: Scalar | readonly Scalar[]): value is readonly Scalar[] => Array.isArray(value);

function readList(value: Scalar | readonly Scalar[], field: FieldRef): Read {
  const list: Scalar[] = [];
  for (const item of isList(value) ? value : [value]) {
    if (item === null) return wrong('null stands in no list');
    const read = readScalar(item, field);
    if (!read.ok) return read;
    list.push(read.value as Scalar);
  }
  return list.length === 0 ? wrong('the list is empty') : { ok: true, value: list };
}

/** `{"k": "v"}`, as JSON text; kept as it is. */
function readMembers(value: Scalar): Read {
  const hint = `Such as '{"tenant": "acme"}'.`;
  if (typeof value !== 'string') return wrong('the text of a JSON object is expected', hint);
  try {
    const members: unknown = JSON.parse(value);
    return typeof members === 'object' && members !== null && !Array.isArray(members)
      ? { ok: true, value }
      : wrong('the text of a JSON object is expected', hint);
  } catch {
    return wrong('the text is no JSON', hint);
  }
}

function readPattern(value: Scalar): Read {
  if (typeof value !== 'string') return wrong('a pattern is expected, a text in quotes');
  return /(?:^|[^\\])(?:\\\\)*\\$/.test(value)
    ? wrong('the pattern ends with a backslash', 'Double it to mean the character.')
    : { ok: true, value };
}

function readScalar(value: Exclude<Scalar, null>, field: Field & { readonly path?: string }): Read {
  const type = field.path === undefined ? field.type : 'text';
  switch (type) {
    case 'uuid':
      return typeof value === 'string' && isUuid(value)
        ? { ok: true, value: value.toLowerCase() }
        : wrong('a UUID is expected');
    case 'number':
      return readNumber(value);
    case 'boolean': {
      const read = booleans.get(typeof value === 'string' ? value.toLowerCase() : value);
      return read === undefined ? wrong('true or false is expected') : { ok: true, value: read };
    }
    case 'instant':
      return readInstant(value);
    case 'duration':
      return readDuration(value);
    case 'text':
    case 'tags':
    case 'object':
      return readText(value, field);
  }
}

const booleans: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [true, true],
  [false, false],
  ['true', true],
  ['false', false],
]);

function readNumber(value: Scalar): Read {
  const number =
    typeof value === 'string' && /^\s*[+-]?[\d.]+(?:[eE][+-]?\d+)?\s*$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number)
    ? { ok: true, value: number }
    : wrong('a number is expected');
}

function readInstant(value: Scalar): Read {
  const text = typeof value === 'string' ? value.trim() : value;
  const day = typeof text === 'string' && /^\d{4}-\d\d-\d\d$/.test(text);
  const instant = instantOf(day ? `${text}T00:00:00Z` : text);
  return instant === undefined
    ? wrong('an instant is expected', 'Such as "2026-01-31T12:00:00Z".')
    : { ok: true, value: instant };
}

const units: Readonly<Record<string, number>> = {
  '': 1,
  us: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
};

/** The limit on a text of a duration: reading a longer one could take time that grows with its square. */
const DURATION_LENGTH = 100;

function readDuration(value: Scalar): Read {
  const hint = 'A number of seconds, or a text with a unit: "250ms", "3s", "2m", "1h", "1d".';
  if (typeof value === 'number') return { ok: true, value };
  const [, digits, unit = ''] =
    (typeof value === 'string' && value.length <= DURATION_LENGTH
      ? /^\s*([+-]?\d*\.?\d+(?:[eE][+-]?\d+)?)\s*([a-z]*)\s*$/i.exec(value)
      : null) ?? [];
  const seconds = units[unit.toLowerCase()];
  if (digits === undefined || !Number.isFinite(Number(digits))) return wrong('a duration is expected', hint);
  return seconds === undefined
    ? wrong('the unit is not one of a duration', hint)
    : { ok: true, value: Number(digits) * seconds };
}

/** Numbers and booleans are compared as the text that JSON writes. */
function readText(value: Exclude<Scalar, null>, field: Field): Read {
  // A value that is ordered by number stays a number.
  if (field.part === 'value' && typeof value === 'number') return { ok: true, value };
  const text = String(value);
  if (field.choices === undefined) return { ok: true, value: text };
  const choice = text.toLowerCase();
  if (field.choices.includes(choice)) return { ok: true, value: choice };
  const near = nearestName(choice, field.choices);
  return wrong(
    `the value is not one of ${field.choices.join(', ')}`,
    near === undefined ? undefined : `Did you mean "${near}"?`,
  );
}
