import { expect, test } from 'vitest';
import { barsOf, movedEnd, timeOf } from './histogram-rules.ts';

const minute = (number: number) => Date.UTC(2026, 0, 5, 0, number);
const period = { bucket_s: 60, from_ms: minute(0) + 30_000, to_ms: minute(4) };

test('when buckets have no runs, then they have bars all the same', () => {
  const points = [{ start_time: new Date(minute(2)).toISOString(), runs: 3, errors: 1 }];
  const { bars, most } = barsOf({ ...period, all: { points } });
  expect([bars.map(({ runs }) => runs), bars[0]?.at_ms, most]).toEqual([[0, 0, 3, 0], minute(0), 3]);
});

test.each([
  [{ from: 0, to: 1 }, minute(0), minute(4)],
  [{ from: 0.25, to: 0.5 }, minute(1), minute(2)],
])('when %j of the width is marked, then its time is from %i to %i', (marked, from_ms, to_ms) => {
  expect(timeOf(marked, period)).toEqual({ from_ms, to_ms });
});

test.each([
  ['from', 2, { from: 2, to: 4 }],
  ['from', 4, { from: 4, to: 5 }],
  ['to', 3, { from: 1, to: 3 }],
  ['to', 1, { from: 0, to: 1 }],
] as const)('when the end %s moves to bar %i, then the range is %j', (end, value, range) => {
  expect(movedEnd({ from: 1, to: 4 }, { end, value })).toEqual(range);
});
