import { expect, test } from 'vitest';
import { completionAt, mistakeIn, narrowedBy } from './filter-rules.ts';

const labelsAt = (text: string) => {
  const found = completionAt(text, text.length);
  return found?.kind === 'words' ? found.options.map(({ label }) => label) : found;
};

test.each([
  ['', 'eq'],
  ['e', 'eq'],
  ['and(', 'or'],
  ['and(eq(name, "a"), ', 'gt'],
  ['eq(', 'run_type'],
  ['gt(la', 'latency'],
  ['eq(run_type, ', '"llm"'],
  ['eq(run_type, "l', '"llm"'],
  ['in(status, ["error", ', '"pending"'],
  ['and(eq(name, "a,("), eq(status, ', '"error"'],
])('when %s is written, then %s is among what may come', (text, label) => {
  expect(labelsAt(text)).toContain(label);
});

test('when a comparator does not fit a field, then the field is not offered', () => {
  expect(labelsAt('has(')).not.toContain('latency');
});

test.each([
  ['eq(name, "ro', { kind: 'values', field: 'name', from: 9 }],
  ['eq(metadata.tenant, ', { kind: 'values', field: 'metadata.tenant', from: 20 }],
  ['search("a', undefined],
])('when %s is written, then the values are of the field', (text, found) => {
  expect(labelsAt(text)).toEqual(found);
});

test.each([
  [
    'eq(run_typ, "llm")',
    '`filter` is wrong at character 4: there is no field `run_typ`. Did you mean `run_type`?',
    { from: 3, to: 10, message: 'There is no field `run_typ`. Did you mean `run_type`?' },
  ],
  [
    'and(eq(name, "a"),\n eq(nam, 3))',
    '`filter` is wrong at line 2, character 5: there is no field `nam`.',
    { from: 23, to: 26, message: 'There is no field `nam`.' },
  ],
  ['eq(', '`filter` is too long.', { from: 0, to: 3, message: '`filter` is too long.' }],
])('when %s is refused, then the mistake is marked where it is', (text, message, mistake) => {
  expect(mistakeIn(text, message)).toEqual(mistake);
});

test('when a filter is narrowed, then both must hold', () => {
  expect(narrowedBy(undefined, 'eq(a, 1)')).toBe('eq(a, 1)');
  expect(narrowedBy('eq(b, 2)', 'eq(a, 1)')).toBe('and(eq(b, 2), eq(a, 1))');
});
