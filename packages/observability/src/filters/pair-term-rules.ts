import { type EntryFamily, termOf } from '../search/term-rules.ts';
import type { EntryTest } from './filter-conditions.ts';
import type { PairPart, Scalar } from './filter-tree.ts';

const MAX_TERMS = 1000;

/**
 * Terms such that a run has one of them exactly if one of its pairs passes; undefined where terms can't decide that.
 */
export function pairTerms(family: EntryFamily, tests: readonly EntryTest[]): number[] | undefined {
  if (tests.length === 0 || tests.some(({ negated }) => negated)) return undefined;
  const keys = choices(tests, 'key');
  const choice = choices(tests, 'value');
  if (keys === undefined || choice === undefined || keys === 'any') return undefined;
  if (choice === 'any') return keys.map((key) => termOf(`${family}_key`, key));
  if (keys.length * choice.length > MAX_TERMS) return undefined;
  return keys.flatMap((key) => choice.map((value) => termOf(`${family}_entry`, key, value)));
}

/** The possible texts of the value, where only the value is tested and the key is arbitrary. */
export function valuesAlone(tests: readonly EntryTest[]): readonly string[] | undefined {
  if (tests.length !== 1 || tests[0]?.negated !== false) return undefined;
  const choice = choices(tests, 'value');
  return choice === 'any' ? undefined : choice;
}

/** The only texts that a side may have; undefined where its values are not limited to some texts. */
function choices(tests: readonly EntryTest[], part: PairPart): readonly string[] | 'any' | undefined {
  const [only, ...others] = tests.filter((one) => one.part === part).map(({ test }) => test);
  if (only === undefined) return 'any';
  if (others.length > 0) return undefined;
  const text = (value: Scalar) => String(value);
  return only.by === 'eq' ? [text(only.value)] : only.by === 'in' ? only.values.map(text) : undefined;
}
