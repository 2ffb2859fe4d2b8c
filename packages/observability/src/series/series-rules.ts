import type { SeriesQuery, SeriesSums } from '@roadstead/contracts/observability';
import { malformed } from '@roadstead/kit';
import { type RunSearch, runSearchOf } from '../queries/run-query-rules.ts';

/** The question of `POST /v2/series/query`, checked and with its defaults. */

export type SeriesGrouping = NonNullable<SeriesQuery['group_by']>['attribute'];
export type SeriesPart = NonNullable<SeriesQuery['select']>[number];

/** Instants in milliseconds; `to_ms` is exclusive. */
export interface Span {
  readonly from_ms: number;
  readonly to_ms: number;
}

export interface SeriesRequest {
  readonly span: Span;
  /** The period before; undefined where it isn't asked for. */
  readonly before: Span | undefined;
  readonly bucket_s: number;
  readonly grouping: SeriesGrouping | undefined;
  readonly max_groups: number;
  readonly runs: 'roots' | 'all';
  readonly filter: string | undefined;
  readonly project_ids: readonly string[] | undefined;
  readonly parts: ReadonlySet<SeriesPart>;
  readonly feedback_keys: readonly string[] | undefined;
}

const DAY_S = 86_400;
const MAX_DAYS = 400;
const MAX_BUCKETS = 1500;
const MAX_GROUPED_BUCKETS = 500;
/** The number of buckets that a width is chosen for. */
const USUAL_BUCKETS = 100;
const widths_s = [60, 300, 900, 1800, 3600, 10_800, 21_600, 43_200, DAY_S] as const;
/** Feedback has rows of its own, so that it is read on request only. */
const usual_parts: readonly SeriesPart[] = ['counts', 'latency', 'first_token', 'tokens', 'cost'];
/** Groups of calls, which are hardly ever roots. */
const of_calls: ReadonlySet<SeriesGrouping> = new Set(['model', 'tool']);

/** @throws Problem naming the field that can't be answered. */
export function seriesRequestOf(query: SeriesQuery): SeriesRequest {
  const span = { from_ms: Date.parse(query.start_time), to_ms: Date.parse(query.end_time) };
  const length_ms = span.to_ms - span.from_ms;
  if (length_ms <= 0) throw malformed(['body', 'end_time'], 'is not after start_time');
  if (length_ms > MAX_DAYS * DAY_S * 1000)
    throw malformed(['body', 'start_time'], `is more than ${MAX_DAYS} days before end_time`);
  const grouping = query.group_by?.attribute;
  const bucket_s = query.bucket_s ?? usualWidth(length_ms);
  const most = grouping === undefined ? MAX_BUCKETS : MAX_GROUPED_BUCKETS;
  if (bucketOf(span.to_ms - 1, bucket_s) - bucketOf(span.from_ms, bucket_s) + 1 > most)
    throw malformed(['body', 'bucket_s'], `makes more than ${most} buckets of this period: take wider ones`);
  const is_of_calls = grouping !== undefined && of_calls.has(grouping);
  if (is_of_calls && query.runs === 'roots')
    throw malformed(['body', 'runs'], `must be \`all\` or absent for groups by ${grouping}`);
  return {
    span,
    before: query.compare ? { from_ms: span.from_ms - length_ms, to_ms: span.from_ms } : undefined,
    bucket_s,
    grouping,
    max_groups: query.group_by?.max_groups ?? 0,
    runs: is_of_calls ? 'all' : (query.runs ?? 'roots'),
    filter: query.filter ?? undefined,
    project_ids: query.project_ids?.map((id) => id.toLowerCase()),
    parts: new Set(query.select ?? usual_parts),
    feedback_keys: query.feedback_keys,
  };
}

function usualWidth(length_ms: number): number {
  return widths_s.find((width) => length_ms / 1000 / width <= USUAL_BUCKETS) ?? DAY_S;
}

const bucketOf = (at_ms: number, bucket_s: number): number => Math.floor(at_ms / 1000 / bucket_s);

const NO_PROJECT = '00000000-0000-0000-0000-000000000000';

/** The search that finds the runs of both periods. @throws Problem where the filter is none. */
export function searchOfSeries(
  { span, before, runs, filter }: SeriesRequest,
  session_ids: readonly string[],
): RunSearch {
  return runSearchOf({
    session: session_ids.length === 0 ? [NO_PROJECT] : [...session_ids],
    ...(runs === 'roots' ? { is_root: true } : {}),
    ...(filter === undefined ? {} : { filter }),
    start_time: new Date((before ?? span).from_ms).toISOString(),
    end_time: new Date(span.to_ms).toISOString(),
  });
}

/** Whether the rollups of whole days hold everything that is asked for. */
export function isRolledUp({ bucket_s, grouping, runs, filter, parts }: SeriesRequest): boolean {
  return (
    bucket_s === DAY_S &&
    grouping === undefined &&
    runs === 'roots' &&
    (filter ?? '').trim() === '' &&
    !parts.has('feedback')
  );
}

/** One line of the answer: sums by bucket number, and those of the periods. */
export interface SummedSeries {
  readonly kind: 'all' | 'group' | 'other';
  readonly group: string | null;
  readonly buckets: ReadonlyMap<number, SeriesSums>;
  readonly total: SeriesSums | undefined;
  readonly before: SeriesSums | undefined;
}

/** The sums of no runs. */
export function noSums(parts: ReadonlySet<SeriesPart>): SeriesSums {
  return {
    runs: 0,
    errors: 0,
    error_rate: null,
    ...(parts.has('latency') ? { latency_p50: null, latency_p95: null, latency_p99: null } : {}),
    ...(parts.has('first_token') ? { first_token_p50: null, first_token_p95: null } : {}),
    ...(parts.has('tokens') ? { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } : {}),
    ...(parts.has('cost') ? { total_cost: null } : {}),
    ...(parts.has('feedback') ? { feedback: {} } : {}),
  };
}

export function seriesAnswer(request: SeriesRequest, summed: readonly SummedSeries[]) {
  const { span, bucket_s, before, parts } = request;
  const none = noSums(parts);
  return {
    start_time: new Date(span.from_ms).toISOString(),
    end_time: new Date(span.to_ms).toISOString(),
    bucket_s,
    series: summed.map((one) => ({
      kind: one.kind,
      group: one.group,
      points: [...one.buckets]
        .toSorted(([a], [b]) => a - b)
        .map(([bucket, sums]) => ({
          start_time: new Date(bucket * bucket_s * 1000).toISOString(),
          ...sums,
        })),
      total: one.total ?? none,
      before: before === undefined ? null : (one.before ?? none),
    })),
  };
}
