import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sessionStatsOf } from '../statistics/session-stats-rules.ts';
import { bucketOf, mergedHistogram, percentileOf } from './histogram-rules.ts';

it('when a percentile is read from a histogram, then it is within one percent of the exact one', () => {
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

it('when there are no runs, then there are no percentiles; runs of no time have zero', () => {
  expect(sessionStatsOf([], undefined)).toMatchObject({ run_count: 0, latency_p50: null, total_cost: null });
  expect(percentileOf({ [bucketOf(0)]: 3 }, 0.99)).toBe(0);
});
