import { walkMembers } from '../search/entry-rules.ts';
import { entryText } from '../search/term-rules.ts';
import { searchedWords } from '../search/word-query-rules.ts';
import type { WordAlternatives, WordField } from '../search/word-rules.ts';
import type { Comparison, Family, FieldRef, Filter, PairPart, Scalar } from './filter-tree.ts';

/**
 * The meaning of a filter: conditions that are true or false of a run and never unknown. SQL and the evaluator in
 * memory both read them.
 */
export type Condition =
  | { readonly kind: 'all' | 'any'; readonly of: readonly Condition[] }
  | { readonly kind: 'not'; readonly of: Condition }
  /** A value that the run has at most once. */
  | { readonly kind: 'column'; readonly name: string; readonly test: Test }
  /** One of its tags passes. */
  | { readonly kind: 'tag'; readonly test: Test }
  /** One pair of the family passes all tests. */
  | { readonly kind: 'entry'; readonly family: Family; readonly tests: readonly EntryTest[] }
  /** Its texts contain all these words. */
  | {
      readonly kind: 'words';
      readonly words: readonly WordAlternatives[];
      readonly field: WordField | undefined;
    };

export type Test =
  | { readonly by: 'eq' | 'gt' | 'gte' | 'lt' | 'lte'; readonly value: Exclude<Scalar, null> }
  | { readonly by: 'in'; readonly values: readonly Exclude<Scalar, null>[] }
  | { readonly by: 'like'; readonly pattern: string }
  /** The value is missing. */
  | { readonly by: 'absent' };

export interface EntryTest {
  readonly part: PairPart;
  readonly test: Test;
  readonly negated: boolean;
}

export function conditionOf(filter: Filter): Condition {
  switch (filter.kind) {
    case 'and':
      return boundTogether(filter.of);
    case 'or':
      return { kind: 'any', of: filter.of.map(conditionOf) };
    case 'not':
      return { kind: 'not', of: conditionOf(filter.of) };
    case 'search':
      return {
        kind: 'words',
        words: searchedWords(filter.text),
        field: filter.field === undefined ? undefined : (filter.field.name as WordField),
      };
    case 'comparison':
      return boundTogether([filter]);
  }
}

/** A comparison of one side of a pair. */
interface Side extends EntryTest {
  readonly family: Family;
}

/**
 * The arguments of one `and`. Sides of a pair within it refer to the same pair: `eq(metadata_key, "a")` beside
 * `neq(metadata_value, "b")` means that some `a` has another value. Where no key is named, every negation refers to
 * all pairs: `neq(metadata_key, "a")` means that no key is `a`, and `neq(metadata_value, "b")` that no value is `b`.
 * A second key begins a second pair.
 */
function boundTogether(filters: readonly Filter[]): Condition {
  const conditions: Condition[] = [];
  const sides: Side[] = [];
  for (const filter of filters) {
    const side = sideOf(filter);
    if (side !== undefined) sides.push(side);
    else conditions.push(filter.kind === 'comparison' ? comparisonCondition(filter) : conditionOf(filter));
  }
  for (const [family, ofFamily] of Map.groupBy(sides, (side) => side.family))
    conditions.push(...pairConditions(family, ofFamily));
  const [only, ...others] = conditions;
  return only !== undefined && others.length === 0 ? only : { kind: 'all', of: conditions };
}

function sideOf(filter: Filter): Side | undefined {
  if (filter.kind === 'not') {
    const inner = sideOf(filter.of);
    return inner && { ...inner, negated: !inner.negated };
  }
  if (filter.kind !== 'comparison') return undefined;
  const { family, part } = filter.field;
  if (family === undefined || part === undefined) return undefined;
  return { family, part, ...testOf(filter) };
}

function pairConditions(family: Family, sides: readonly Side[]): Condition[] {
  const entry = (tests: readonly EntryTest[]): Condition => ({
    kind: 'entry',
    family,
    tests: tests.map(({ part, test, negated }) => ({ part, test, negated })),
  });
  const none = (side: Side): Condition => ({ kind: 'not', of: entry([{ ...side, negated: false }]) });
  const isKey = (side: Side) => side.part === 'key';
  const pairs: Side[][] = [[]];
  for (const side of sides.filter((one) => !(isKey(one) && one.negated))) {
    if (isKey(side) && pairs.at(-1)?.some(isKey) === true) pairs.push([]);
    pairs.at(-1)?.push(side);
  }
  return [
    ...sides.filter((side) => isKey(side) && side.negated).map(none),
    ...pairs.flatMap((pair) => {
      if (pair.some(isKey)) return [entry(pair)];
      const positive = pair.filter((side) => !side.negated);
      return [
        ...(positive.length === 0 ? [] : [entry(positive)]),
        ...pair.filter((side) => side.negated).map(none),
      ];
    }),
  ];
}

function comparisonCondition(comparison: Comparison): Condition {
  const { field, comparator, value } = comparison;
  if (comparator === 'exists') return existsCondition(field, String(value));
  if (comparator === 'has' && field.type === 'object') return membersCondition(field, String(value));
  const { test, negated } = testOf(comparison);
  const positive = ((): Condition => {
    if (field.type === 'tags') return { kind: 'tag', test };
    if (field.family === undefined) return { kind: 'column', name: field.name, test };
    return objectCondition(field, test);
  })();
  return negated ? { kind: 'not', of: positive } : positive;
}

/** The condition on `metadata.tenant`, or on `metadata` as a whole. */
function objectCondition(field: FieldRef, test: Test): Condition {
  const { path, family = 'metadata' } = field;
  const key = path === undefined ? [] : [keyIs(path)];
  if (test.by !== 'absent')
    return { kind: 'entry', family, tests: [...key, { part: 'value', test, negated: false }] };
  const any: Condition = {
    kind: 'entry',
    family,
    tests: [...key, { part: 'value', test: { by: 'eq', value: 'null' }, negated: true }],
  };
  return { kind: 'not', of: any };
}

const keyIs = (key: string): EntryTest => ({ part: 'key', test: { by: 'eq', value: key }, negated: false });

function existsCondition(field: FieldRef, key: string): Condition {
  const whole = field.path === undefined ? key : `${field.path}.${key}`;
  return { kind: 'entry', family: field.family ?? 'metadata', tests: [keyIs(whole)] };
}

/** Every member of the object must be present as well. */
function membersCondition(field: FieldRef, json: string): Condition {
  const { family = 'metadata' } = field;
  const of: Condition[] = [];
  const empty = new Set<string>();
  walkMembers(JSON.parse(json), {
    key: (key) => {
      empty.add(key);
      return true;
    },
    scalar: (key, value) => {
      for (const above of empty) if (key === above || key.startsWith(`${above}.`)) empty.delete(above);
      const is: EntryTest = {
        part: 'value',
        test: { by: 'eq', value: entryText(String(value)) },
        negated: false,
      };
      of.push({ kind: 'entry', family, tests: [keyIs(key), is] });
      return true;
    },
  });
  for (const key of empty) of.push({ kind: 'entry', family, tests: [keyIs(key)] });
  return { kind: 'all', of };
}

type NegatableTest = Pick<EntryTest, 'test' | 'negated'>;

function testOf({ comparator, field, value }: Comparison): NegatableTest {
  const stored = (one: Scalar) => (isPairText(field) && comparator !== 'like' ? storedText(one) : one);
  switch (comparator) {
    case 'neq':
    case 'notlike': {
      const positive = testOf({ kind: 'comparison', comparator: positiveOf[comparator], field, value });
      return { test: positive.test, negated: true };
    }
    case 'in':
      return { test: { by: 'in', values: (value as Scalar[]).map(stored) as string[] }, negated: false };
    case 'like':
      return { test: { by: 'like', pattern: String(value) }, negated: false };
    case 'eq':
    case 'has':
      return {
        test:
          value === null && !(isPairText(field) && field.part === 'value')
            ? { by: 'absent' }
            : { by: 'eq', value: stored(value as Scalar) as string },
        negated: false,
      };
    case 'exists':
      return { test: { by: 'absent' }, negated: true };
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return { test: { by: comparator, value: value as Exclude<Scalar, null> }, negated: false };
  }
}

const positiveOf = { neq: 'eq', notlike: 'like' } as const;

/** Whether the field is a text of entries, which cut long texts and keep numbers as text. */
const isPairText = ({ family, part, path, type }: FieldRef) =>
  family !== undefined &&
  family !== 'feedback' &&
  (part === 'value' || path !== undefined || type === 'object');

const storedText = (value: Scalar) => entryText(String(value));
