import { instantIn, oneOf, textIn, type Search } from '../../router/search.ts';

/** What a table of traces shows, as it stands in the address. */
export interface TraceListSearch {
  readonly filter?: string | undefined;
  readonly runs?: 'all' | undefined;
  readonly period?: Period | undefined;
  /** A range of time in place of a period. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly live?: 'on' | undefined;
}

export const periods = {
  hour: { label: 'Last hour', ms: 3_600_000 },
  day: { label: 'Last day', ms: 86_400_000 },
  week: { label: 'Last 7 days', ms: 604_800_000 },
  month: { label: 'Last 30 days', ms: 2_592_000_000 },
  year: { label: 'Last year', ms: 31_536_000_000 },
} as const;
export type Period = keyof typeof periods;
export const periodNames = Object.keys(periods) as Period[];

export const traceListSearch = (search: Search): TraceListSearch => ({
  filter: textIn(search, 'filter'),
  runs: oneOf(search, { name: 'runs', among: ['all'] }),
  period: oneOf(search, { name: 'period', among: periodNames }),
  from: instantIn(search, 'from'),
  to: instantIn(search, 'to'),
  live: oneOf(search, { name: 'live', among: ['on'] }),
});

export interface TimeRange {
  readonly from_ms: number;
  readonly to_ms: number;
}

/** The range of time that is looked at; a week where nothing is said. */
export function rangeOf({ period = 'week', from, to }: TraceListSearch, now_ms: number): TimeRange {
  if (from === undefined && to === undefined) return { from_ms: now_ms - periods[period].ms, to_ms: now_ms };
  const to_ms = to === undefined ? now_ms : Date.parse(to);
  const from_ms = from === undefined ? to_ms - periods[period].ms : Date.parse(from);
  return from_ms <= to_ms ? { from_ms, to_ms } : { from_ms: to_ms, to_ms: from_ms };
}

const WIDTHS_S = [60, 300, 900, 3600, 10_800, 21_600, 43_200, 86_400] as const;
const MOST_BUCKETS = 120;

/** The width of a bucket of the histogram: at most so many, however long the range is. */
export function bucketWidth({ from_ms, to_ms }: TimeRange): number {
  const span_s = (to_ms - from_ms) / 1000;
  return WIDTHS_S.find((width) => span_s / width <= MOST_BUCKETS) ?? 86_400;
}
