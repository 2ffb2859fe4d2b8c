import { modelCallTypes } from '../records/run-row.ts';
import { bucketsBetween, type EntryFamily, termOf } from '../search/term-rules.ts';
import { wordQueryText, wordsOfPattern, wordsOfValue } from '../search/word-query-rules.ts';
import type { WordField } from '../search/word-rules.ts';
import type { Condition, EntryTest, Test } from './filter-conditions.ts';
import { pairTerms, valuesAlone } from './pair-term-rules.ts';

/**
 * A question that the inverted indexes answer before a condition does: every run that meets the condition has one
 * term of each list, and all the words.
 */
export interface Lookup {
  readonly terms: readonly (readonly number[])[];
  /** Texts that Postgres reads as a `tsquery`. */
  readonly words: readonly string[];
}

/** Undefined where the indexes don't help. */
export function lookupOf(condition: Condition): Lookup | undefined {
  switch (condition.kind) {
    case 'all':
      return everyOf(condition.of);
    case 'any':
      return oneOf(condition.of);
    case 'not':
      return undefined;
    case 'words': {
      return byWords(wordQueryText(condition.words, condition));
    }
    case 'tag':
      return textLookup(condition.test, (tag) => termOf('tag', tag)) ?? byPattern(condition.test, 'tags');
    case 'column':
      return columnLookup(condition.name, condition.test);
    case 'entry':
      return condition.family === 'feedback' ? undefined : entryLookup(condition.family, condition.tests);
  }
}

const byTerms = (terms: readonly number[]): Lookup => ({ terms: [terms], words: [] });
const byWords = (query: string | undefined): Lookup | undefined =>
  query === undefined ? undefined : { terms: [], words: [query] };

function everyOf(conditions: readonly Condition[]): Lookup | undefined {
  const lookups = conditions.flatMap((one) => lookupOf(one) ?? []);
  return lookups.length === 0
    ? undefined
    : { terms: lookups.flatMap(({ terms }) => terms), words: lookups.flatMap(({ words }) => words) };
}

/** One part of each condition is enough to find all runs that may meet one of them. */
function oneOf(conditions: readonly Condition[]): Lookup | undefined {
  const lookups = conditions.map(lookupOf);
  const terms = lookups.flatMap((lookup) => lookup?.terms.slice(0, 1) ?? []);
  if (terms.length === conditions.length) return byTerms(terms.flat());
  const words = lookups.flatMap((lookup) => (lookup === undefined ? [] : [lookup.words]));
  return words.length === conditions.length && words.every((queries) => queries.length > 0)
    ? byWords(words.map((queries) => `(${queries.join(' & ')})`).join(' | '))
    : undefined;
}

function columnLookup(name: string, test: Test): Lookup | undefined {
  if (name === 'name') return textLookup(test, (text) => termOf('name', text)) ?? byPattern(test, 'name');
  if (name === 'run_type') return textLookup(test, (text) => termOf('run_type', text));
  if (name === 'thread_id') return textLookup(test, (text) => termOf('thread', text));
  if (name === 'model') return modelLookup(test);
  return name === 'latency' ? latencyLookup(test) : undefined;
}

function textLookup(test: Test, term: (text: string) => number): Lookup | undefined {
  if (test.by === 'eq') return byTerms([term(String(test.value))]);
  return test.by === 'in' ? byTerms(test.values.map((value) => term(String(value)))) : undefined;
}

/** Calls of models are among the runs of a few types. */
const modelLookup = ({ by }: Test): Lookup | undefined =>
  ['eq', 'in', 'like'].includes(by)
    ? byTerms(modelCallTypes.map((type) => termOf('run_type', type)))
    : undefined;

/** Only long latencies are rare enough to look up; short ones are too many. */
function latencyLookup(test: Test): Lookup | undefined {
  if (test.by !== 'gt' && test.by !== 'gte' && test.by !== 'eq') return undefined;
  const ms = Number(test.value) * 1000;
  const buckets = bucketsBetween(ms - 2, test.by === 'eq' ? ms + 2 : Infinity);
  return byTerms(buckets.map((bucket) => termOf('latency', String(bucket))));
}

function byPattern(test: Test, field: WordField): Lookup | undefined {
  return test.by === 'like' ? byWords(wordQueryText(wordsOfPattern(test.pattern), { field })) : undefined;
}

/** A lookup of one of these values, each of which has words. */
function byValues(values: readonly string[], field: WordField): Lookup | undefined {
  const queries = values.flatMap((value) => wordQueryText(wordsOfValue(value), { field }) ?? []);
  return queries.length === values.length
    ? byWords(queries.map((query) => `(${query})`).join(' | '))
    : undefined;
}

const fieldOf = { metadata: 'metadata', input: 'inputs', output: 'outputs' } as const;

function entryLookup(family: EntryFamily, tests: readonly EntryTest[]): Lookup | undefined {
  const exact = pairTerms(family, tests);
  if (exact !== undefined) return byTerms(exact);
  const alone = valuesAlone(tests);
  if (alone !== undefined) return byValues(alone, fieldOf[family]);
  const keys = pairTerms(
    family,
    tests.filter(({ part, test, negated }) => part === 'key' && !negated && test.by !== 'like').slice(0, 1),
  );
  const patterns = tests.flatMap(({ part, test, negated }) =>
    part === 'value' && !negated ? (byPattern(test, fieldOf[family])?.words ?? []) : [],
  );
  if (keys === undefined && patterns.length === 0) return undefined;
  return { terms: keys === undefined ? [] : [keys], words: patterns };
}
