import { type EntryFamily, termOf } from '../search/term-rules.ts';
import type { EntryTest } from './filter-conditions.ts';
import type { PairPart, Scalar } from './filter-tree.ts';

const MAX_TERMS = 1000;

/** The terms of which a run has one if and only if a pair of its passes; undefined where terms can't tell. */
export function pairTerms(family: EntryFamily, tests: readonly EntryTest[]): number[] | undefined {
  if (tests.length === 0 || tests.some(({ negated }) => negated)) return undefined;
  const keys = choices(tests, 'key');
  const choice = choices(tests, 'value');
  if (keys === undefined || choice === undefined || keys === 'any') return undefined;
  if (choice === 'any') return keys.map((key) => termOf(`${family}_key`, key));
  if (keys.length * choice.length > MAX_TERMS) return undefined;
  return keys.flatMap((key) => choice.map((value) => termOf(`${family}_entry`, key, value)));
}

/** Where nothing but the value is asked about, whatever its key: the texts that it may be. */
export function valuesAlone(tests: readonly EntryTest[]): readonly string[] | undefined {
  if (tests.length !== 1 || tests[0]?.negated !== false) return undefined;
  const choice = choices(tests, 'value');
  return choice === 'any' ? undefined : choice;
}

/** The only texts that a side may be; undefined where it isn't a matter of some texts. */
function choices(tests: readonly EntryTest[], part: PairPart): readonly string[] | 'any' | undefined {
  const [only, ...others] = tests.filter((one) => one.part === part).map(({ test }) => test);
  if (only === undefined) return 'any';
  if (others.length > 0) return undefined;
  const text = (value: Scalar) => String(value);
  return only.by === 'eq' ? [text(only.value)] : only.by === 'in' ? only.values.map(text) : undefined;
}
