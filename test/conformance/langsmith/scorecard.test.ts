import { expect, test } from 'vitest';
import { pageOf, scoreOf } from './scorecard.ts';
import type { TestResult } from './suites.ts';

const result = (name: string, outcome: TestResult['outcome'], message = ''): TestResult => ({
  language: 'js',
  file: 'client.int.test.ts',
  name,
  outcome,
  message,
});
const results = [
  result('traces', 'passed'),
  result('asks a model', 'failed', 'Error: 401 from https://api.openai.com/v1'),
  result('of another server', 'skipped', 'Skipped: needs a marker'),
  result('pages | pages', 'failed', 'expected 3, received 2'),
];

test('when a test needs a model, or the suite skips it, then it does not count as possible', () => {
  const score = scoreOf(results);
  expect(score).toMatchObject({ passed: 1, possible: 2 });
  expect(score.missed.map(({ name }) => name)).toEqual(['pages | pages']);
  expect(score.impossible.map(({ name }) => name)).toEqual(['asks a model', 'of another server']);
});

test('when the page is written, then it names every miss and every 501', () => {
  const answers = new Map([
    ['501 GET /charts', 2],
    ['200 GET /info', 9],
  ]);
  const page = pageOf(results, { answers, versions: 'JavaScript 1' });
  expect(page).toContain('| JavaScript | 1 | 2 (50 %) | 2 |');
  expect(page).toContain('Requests answered 501: `GET /charts` (2).');
  expect(page).toContain('| `client.int.test.ts` pages \\| pages | not explained: expected 3, received 2 |');
  expect(page).not.toContain('/info');
});
