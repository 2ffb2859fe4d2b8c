/**
 * A filter of LangGraph's store: each field of the value equals something, or is compared with it (`$eq`, `$gt`, …),
 * like in the stock store in memory. Pure.
 */

export type Filter = Readonly<Record<string, unknown>>;
type Value = Readonly<Record<string, unknown>>;

/** A filter split into what the database can compare and what only we can. */
export interface SplitFilter {
  readonly equal: Filter;
  readonly compared: readonly (readonly [field: string, operators: Filter])[];
}

export function splitFilter(filter: Filter): SplitFilter {
  const fields = Object.entries(filter);
  return {
    equal: Object.fromEntries(fields.filter(([, wanted]) => !hasOperators(wanted))),
    compared: fields.flatMap(([field, wanted]) => (hasOperators(wanted) ? [[field, wanted] as const] : [])),
  };
}

export function isMatch(value: Value, compared: SplitFilter['compared']): boolean {
  return compared.every(([field, operators]) =>
    Object.entries(operators)
      .filter(([name]) => name.startsWith('$'))
      .every(([name, given]) => comparators.get(name)?.(value[field], given) ?? false),
  );
}

function hasOperators(wanted: unknown): wanted is Filter {
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted)) return false;
  return Object.keys(wanted).some((name) => name.startsWith('$'));
}

type Comparator = (value: unknown, given: unknown) => boolean;
const comparators: ReadonlyMap<string, Comparator> = new Map<string, Comparator>([
  ['$eq', same],
  ['$ne', (value, given) => !same(value, given)],
  ['$gt', (value, given) => order(value, given) > 0],
  ['$gte', (value, given) => order(value, given) >= 0],
  ['$lt', (value, given) => order(value, given) < 0],
  ['$lte', (value, given) => order(value, given) <= 0],
  ['$in', (value, given) => Array.isArray(given) && given.some((one) => same(value, one))],
  ['$nin', (value, given) => !Array.isArray(given) || !given.some((one) => same(value, one))],
]);

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The order of two values; NaN, for which no comparison holds, where they have none. */
function order(one: unknown, other: unknown): number {
  if (typeof one === 'string' && typeof other === 'string') return one === other ? 0 : one < other ? -1 : 1;
  return Number(one) - Number(other);
}
