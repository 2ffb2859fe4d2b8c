import type { WordAlternatives, WordField } from '../search/word-rules.ts';
import type { Condition, EntryTest, Test } from './filter-conditions.ts';
import type { Family, PairPart, Scalar } from './filter-tree.ts';
import { isLike } from './like-rules.ts';

/** Decides in memory what `filter-sql-store.ts` has the database decide. */

/** A pair of a family: the values of its sides, as far as they have any. */
export type Pair = Readonly<Partial<Record<PairPart, Scalar>>>;

/** The subject of conditions. */
export interface Subject {
  /** The value of a column; null where it is missing. */
  column(name: string): Scalar;
  readonly tags: readonly string[];
  pairs(family: Family): readonly Pair[];
  /** Whether the family has the key, also one that only holds other keys. */
  hasKey(family: Family, key: string): boolean;
  hasWords(words: readonly WordAlternatives[], field: WordField | undefined): boolean;
}

export function passes(condition: Condition, subject: Subject): boolean {
  switch (condition.kind) {
    case 'all':
      return condition.of.every((one) => passes(one, subject));
    case 'any':
      return condition.of.some((one) => passes(one, subject));
    case 'not':
      return !passes(condition.of, subject);
    case 'column':
      return meets(subject.column(condition.name), condition.test);
    case 'tag':
      return condition.test.by === 'absent'
        ? subject.tags.length === 0
        : subject.tags.some((tag) => meets(tag, condition.test));
    case 'words':
      return subject.hasWords(condition.words, condition.field);
    case 'entry': {
      const keys = keysAskedFor(condition.tests);
      return keys !== undefined && condition.family !== 'feedback'
        ? keys.some((key) => subject.hasKey(condition.family, key))
        : subject
            .pairs(condition.family)
            .some((pair) =>
              condition.tests.every(({ part, test, negated }) => meets(pair[part] ?? null, test) !== negated),
            );
    }
  }
}

/** The keys of tests on nothing but the key: one of these must be present. */
function keysAskedFor(tests: readonly EntryTest[]): readonly string[] | undefined {
  const [only, ...others] = tests;
  if (only?.part !== 'key' || others.length > 0 || only.negated) return undefined;
  if (only.test.by === 'eq') return [String(only.test.value)];
  return only.test.by === 'in' ? only.test.values.map(String) : undefined;
}

function meets(value: Scalar, test: Test): boolean {
  if (test.by === 'absent') return value === null;
  if (value === null) return false;
  switch (test.by) {
    case 'like':
      return isLike(String(value), test.pattern);
    case 'in':
      return test.values.some((one) => order(value, one) === 0);
    case 'eq':
      return order(value, test.value) === 0;
    case 'gt':
      return order(value, test.value) > 0;
    case 'gte':
      return order(value, test.value) >= 0;
    case 'lt':
      return order(value, test.value) < 0;
    case 'lte':
      return order(value, test.value) <= 0;
  }
}

/** The form of a text that can be compared with a number. */
const numeric = /^-?\d{1,100}(\.\d{1,100})?([eE][+-]?\d{1,2})?$/;

/** The order of two values; NaN where they have none. */
function order(value: Exclude<Scalar, null>, other: Exclude<Scalar, null>): number {
  if (value === other) return 0;
  if (typeof value === 'string' && typeof other === 'number')
    return numeric.test(value) ? Number(value) - other : NaN;
  return typeof value === 'string' ? textOrder(value, String(other)) : Number(value) - Number(other);
}

/** Characters from which on the order of UTF-16 differs from that of bytes. */
const high = /[\ud800-\uffff]/;

function textOrder(value: string, other: string): number {
  if (value === other) return 0;
  if (high.test(value) || high.test(other)) return Buffer.compare(Buffer.from(value), Buffer.from(other));
  return value < other ? -1 : 1;
}
