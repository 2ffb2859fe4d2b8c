import { expect, test } from 'vitest';
import { written } from '../../paging/text-cut-rules.ts';
import { errorLine, latencyOf, told } from './run-summary-rules.ts';

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
])('the line of %s', (_what, error, line) => {
  expect(written(errorLine(error))).toBe(line);
});

test.each([
  ['2026-01-05T00:00:00', '2026-01-05T00:00:01.234567', 1.234],
  ['2026-01-05T00:00:00Z', '2026-01-05T01:00:00.5+01:00', 0.5],
  ['2026-01-05T00:00:00', null, undefined],
  [undefined, '2026-01-05T00:00:00', undefined],
  ['soon', '2026-01-05T00:00:00', undefined],
])('from %s to %s it is %s seconds', (start_time, end_time, seconds) => {
  expect(latencyOf({ start_time, end_time })).toBe(seconds);
});

test('what says nothing is left out', () => {
  const record = { a: 0, b: '', c: false, d: null, e: undefined, f: [], g: {}, h: [1] };
  expect(told(record)).toEqual({ a: 0, b: '', c: false, h: [1] });
});
