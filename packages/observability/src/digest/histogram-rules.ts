/**
 * Times in logarithmic buckets: two histograms are merged by adding, and an added one can be subtracted again. A
 * percentile read from one lies within `RELATIVE_ERROR` of the exact one.
 */

/** The number of values in each bucket, by its number. */
export type Histogram = Readonly<Record<string, number>>;

const RELATIVE_ERROR = 0.0075;
const GROWTH = (1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR);
/** A shorter time counts as zero. */
const SMALLEST_S = 1e-6;
/** The bucket of zero, below the buckets of all other values, which begin at the logarithm of a microsecond. */
const ZERO_BUCKET = -10_000;

export function bucketOf(seconds: number): number {
  return seconds < SMALLEST_S ? ZERO_BUCKET : Math.ceil(Math.log(seconds) / Math.log(GROWTH));
}

/** The value whose distance from any value of the bucket is within the error. */
function valueOf(bucket: number): number {
  return bucket === ZERO_BUCKET ? 0 : (2 * GROWTH ** bucket) / (GROWTH + 1);
}

export function mergedHistogram(histograms: readonly Histogram[]): Histogram {
  const merged: Record<string, number> = {};
  for (const histogram of histograms)
    for (const [bucket, count] of Object.entries(histogram)) {
      const sum = (merged[bucket] ?? 0) + count;
      if (sum === 0) delete merged[bucket];
      else merged[bucket] = sum;
    }
  return merged;
}

/** Interpolates between two values like `percentile_cont`. Undefined for an empty histogram. */
export function percentileOf(histogram: Histogram, fraction: number): number | undefined {
  const buckets = Object.entries(histogram)
    .map(([bucket, count]) => ({ bucket: Number(bucket), count }))
    .sort((a, b) => a.bucket - b.bucket);
  const total = buckets.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return undefined;
  const place = fraction * (total - 1);
  const valueAt = (index: number) => {
    let before = 0;
    const found = buckets.find(({ count }) => (before += count) > index);
    return valueOf((found ?? buckets[buckets.length - 1])?.bucket ?? ZERO_BUCKET);
  };
  const low = valueAt(Math.floor(place));
  const high = valueAt(Math.ceil(place));
  return low + (high - low) * (place - Math.floor(place));
}
