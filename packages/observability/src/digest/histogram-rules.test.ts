import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sessionStatsOf } from '../statistics/session-stats-rules.ts';
import { bucketOf, mergedHistogram, percentileOf } from './histogram-rules.ts';

it('a percentile of a histogram lies within one percent of the exact one', () => {
  const exact = (values: readonly number[], fraction: number) => {
    const sorted = values.toSorted((a, b) => a - b);
    const place = fraction * (sorted.length - 1);
    const low = sorted[Math.floor(place)] ?? 0;
    return low + ((sorted[Math.ceil(place)] ?? 0) - low) * (place - Math.floor(place));
  };
  const seconds = fc.double({ min: 1e-6, max: 1e7, noNaN: true });
  fc.assert(
    fc.property(
      fc.array(seconds, { minLength: 1 }),
      fc.array(seconds),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (kept, removed, fraction) => {
        const put = (sign: number) => (value: number) => ({ [bucketOf(value)]: sign });
        const histogram = mergedHistogram([...[...kept, ...removed].map(put(1)), ...removed.map(put(-1))]);
        const expected = exact(kept, fraction);
        expect(Math.abs((percentileOf(histogram, fraction) ?? NaN) - expected)).toBeLessThanOrEqual(
          expected * 0.01,
        );
      },
    ),
  );
});

it('nothing has no percentiles, and a run of no time has none but zero', () => {
  expect(sessionStatsOf([], undefined)).toMatchObject({ run_count: 0, latency_p50: null, total_cost: null });
  expect(percentileOf({ [bucketOf(0)]: 3 }, 0.99)).toBe(0);
});
