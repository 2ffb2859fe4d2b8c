import type { Histogram } from './runs-query.ts';
import type { TimeRange } from './trace-list-search.ts';

/** The bars of a histogram, and the time that a part of its width stands for. Pure. */

type Buckets = Pick<Histogram, 'bucket_s' | 'from_ms' | 'to_ms'> & {
  readonly all:
    | {
        readonly points: readonly {
          readonly start_time: string;
          readonly runs: number;
          readonly errors: number;
        }[];
      }
    | undefined;
};

interface Bar {
  readonly at_ms: number;
  readonly runs: number;
  readonly errors: number;
}

/** A bar for each bucket, also for those without runs, which the answer leaves out. */
export function barsOf({ bucket_s, from_ms, to_ms, all }: Buckets): {
  readonly bars: readonly Bar[];
  readonly most: number;
} {
  const width_ms = bucket_s * 1000;
  const first = Math.floor(from_ms / width_ms);
  const length = Math.max(1, Math.ceil(to_ms / width_ms) - first);
  const bars: Bar[] = Array.from({ length }, (_, index) => ({
    at_ms: (first + index) * width_ms,
    runs: 0,
    errors: 0,
  }));
  for (const { start_time, runs, errors } of all?.points ?? []) {
    const index = Math.floor(Date.parse(start_time) / width_ms) - first;
    const bar = bars[index];
    if (bar !== undefined) bars[index] = { ...bar, runs, errors };
  }
  return { bars, most: Math.max(1, ...bars.map(({ runs }) => runs)) };
}

/** A part of the width, from 0 to 1. */
export interface MarkedRange {
  readonly from: number;
  readonly to: number;
}

/** The time of a part of the width. Bars begin at multiples of their width, so the first may begin before the period. */
export function timeOf(
  { from, to }: MarkedRange,
  { from_ms, to_ms, bucket_s }: Pick<Buckets, 'bucket_s' | 'from_ms' | 'to_ms'>,
): TimeRange {
  const width_ms = bucket_s * 1000;
  const begin = Math.floor(from_ms / width_ms) * width_ms;
  const end = Math.ceil(to_ms / width_ms) * width_ms;
  const msAt = (share: number) => Math.round(begin + share * (end - begin));
  return { from_ms: msAt(from), to_ms: msAt(to) };
}

/** A range after one of its ends was moved, by bars: the other end gives way before the range is empty. */
export function movedEnd(
  { from, to }: MarkedRange,
  { end, value }: { readonly end: keyof MarkedRange; readonly value: number },
): MarkedRange {
  return end === 'from'
    ? { from: value, to: Math.max(to, value + 1) }
    : { from: Math.min(from, value - 1), to: value };
}
