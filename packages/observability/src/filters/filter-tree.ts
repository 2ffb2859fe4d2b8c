/**
 * A filter as it was written: the syntax tree of the filter language. Names of fields are those of the table with
 * which it was parsed, values have the type of their field. Its meaning is in `filter-conditions.ts`.
 */

export const comparators = [
  'eq',
  'neq',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'like',
  'notlike',
  'has',
  'exists',
  'search',
] as const;
export type Comparator = (typeof comparators)[number];
export const logicals = ['and', 'or', 'not'] as const;

/** Keys and values that belong together. */
export type Family = 'metadata' | 'input' | 'output' | 'feedback';
/** One side of such a pair; a record of feedback has more sides than two. */
export type PairPart = 'key' | 'value' | 'score' | 'source' | 'comment';

export type FieldType =
  | 'text'
  | 'uuid'
  | 'number'
  /** Text as `instantOf` writes it. */
  | 'instant'
  /** Seconds. */
  | 'duration'
  | 'boolean'
  | 'tags'
  /** Keys and values together, such as `metadata`. */
  | 'object';

export interface Field {
  readonly type: FieldType;
  /** The name of the field after parsing; its own by default. */
  readonly name?: string;
  /** The only possible values. */
  readonly choices?: readonly string[];
  readonly family?: Family;
  /** The part of a pair that the field is. */
  readonly part?: PairPart;
  /** Whether `search(field, …)` looks into it. */
  readonly searched?: boolean;
}

/** The fields that a filter may name. */
export type Fields = Readonly<Record<string, Field>>;

export type Scalar = string | number | boolean | null;

/** A field as it was named. */
export interface FieldRef extends Field {
  readonly name: string;
  /** The rest of the name behind that of an object: `tenant` in `metadata.tenant`. */
  readonly path?: string;
}

export type Filter =
  | { readonly kind: 'and' | 'or'; readonly of: readonly Filter[] }
  | { readonly kind: 'not'; readonly of: Filter }
  | Comparison
  | { readonly kind: 'search'; readonly field?: FieldRef; readonly text: string };

export interface Comparison {
  readonly kind: 'comparison';
  readonly comparator: Exclude<Comparator, 'search'>;
  readonly field: FieldRef;
  readonly value: Scalar | readonly Scalar[];
}

/** The text of a filter; parsing it gives the same tree. */
export function filterText(filter: Filter): string {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return `${filter.kind}(${filter.of.map(filterText).join(', ')})`;
    case 'not':
      return `not(${filterText(filter.of)})`;
    case 'search':
      return filter.field === undefined
        ? `search(${JSON.stringify(filter.text)})`
        : `search(${fieldText(filter.field)}, ${JSON.stringify(filter.text)})`;
    case 'comparison':
      return `${filter.comparator}(${fieldText(filter.field)}, ${valueText(filter.value)})`;
  }
}

function fieldText({ name, path }: FieldRef): string {
  const whole = path === undefined ? name : `${name}.${path}`;
  return /^[A-Za-z_][\w.-]*$/.test(whole) ? whole : JSON.stringify(whole);
}

function valueText(value: Comparison['value']): string {
  return Array.isArray(value)
    ? `[${value.map((item: Scalar) => JSON.stringify(item)).join(', ')}]`
    : JSON.stringify(value);
}
