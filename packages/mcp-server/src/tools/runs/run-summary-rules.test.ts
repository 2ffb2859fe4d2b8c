import { expect, test } from 'vitest';
import { written } from '../../paging/text-cut-rules.ts';
import { errorLine, feedbackFigures, latencyOf, withoutEmpty } from './run-summary-rules.ts';

test.each([
  ['no error', null, undefined],
  ['one line', 'ValueError: no', 'ValueError: no'],
  [
    'an error before its traceback',
    'ValueError: no\n\nTraceback (most recent call last):\n  x',
    'ValueError: no',
  ],
  ['a traceback', 'Traceback (most recent call last):\n  File "a.py"\nValueError: no\n', 'ValueError: no'],
  ['empty lines before', '\n\n  oh\nno', 'oh'],
  ['a long line', 'x'.repeat(201), `${'x'.repeat(200)}... (+1 chars)`],
])('when the error is %s, then it is told in one line', (_what, error, line) => {
  expect(written(errorLine(error))).toBe(line);
});

test.each([
  ['2026-01-05T00:00:00', '2026-01-05T00:00:01.234567', 1.234],
  ['2026-01-05T00:00:00Z', '2026-01-05T01:00:00.5+01:00', 0.5],
  ['2026-01-05T00:00:00', null, undefined],
  [undefined, '2026-01-05T00:00:00', undefined],
  ['soon', '2026-01-05T00:00:00', undefined],
])('when a run lasts from %s to %s, then it is %s seconds', (start_time, end_time, seconds) => {
  expect(latencyOf({ start_time, end_time })).toBe(seconds);
});

test('when a member says nothing, then it is left out', () => {
  const record = { a: 0, b: '', c: false, d: null, e: undefined, f: [], g: {}, h: [1] };
  expect(withoutEmpty(record)).toEqual({ a: 0, b: '', c: false, h: [1] });
});

test('when feedback is told, then that is by its figures and its most frequent labels', () => {
  const labels = Object.fromEntries(
    Array.from({ length: 100 }, (_, at) => [`${at} ${'x'.repeat(90)}`, 100 - at]),
  );
  const stats = {
    score: { n: 2, avg: 0.5, errors: 0, values: {} },
    topic: { n: 9, avg: null, values: labels },
  };
  expect(feedbackFigures({ topic: { n: 3, values: { good: 2, bad: 1 } } })).toEqual({
    topic: { n: 3, values: { good: 2, bad: 1 } },
  });
  const { score, topic } = feedbackFigures(stats);
  expect(score).toEqual({ n: 2, avg: 0.5 });
  expect(topic).toMatchObject({ n: 9, more_values: 90 });
  const shown = Object.entries((topic as { values: Record<string, number> }).values);
  expect(shown.map(([, count]) => count)).toEqual([100, 99, 98, 97, 96, 95, 94, 93, 92, 91]);
  for (const [label] of shown) expect(label).toMatch(/^\d+ x+…$/);
  for (const [label] of shown) expect(label).toHaveLength(60);
});
