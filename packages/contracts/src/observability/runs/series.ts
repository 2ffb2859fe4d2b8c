import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { filterBy, Timestamp, Uuid } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { v2 } from '../mounts.ts';

/** What runs add up to over time: the lines of a dashboard, and the histogram above a table of traces. */

export const seriesGroupings = ['project', 'model', 'tool', 'revision', 'tag', 'status', 'run_type'] as const;
export const seriesParts = ['counts', 'latency', 'first_token', 'tokens', 'cost', 'feedback'] as const;

export const SeriesQuery = z
  .object({
    /** Tracing projects; all of the workspace that are no experiments where it is absent. */
    project_ids: filterBy(z.array(Uuid).max(100).nullable()),
    /** `roots` count whole traces with their totals, `all` each run by itself. Model and tool calls are of `all`. */
    runs: z.enum(['roots', 'all']).optional(),
    /** In the filter language of `POST /runs/query`. */
    filter: WellFormedText.max(10_000).nullish(),
    start_time: Timestamp,
    /** Exclusive. */
    end_time: Timestamp,
    /** The width of a bucket: buckets begin at multiples of it since 1970. Chosen by the period where it is absent. */
    bucket_s: z.number().int().min(60).max(86_400).optional(),
    group_by: z
      .object({
        attribute: z.enum(seriesGroupings),
        /** The groups with most runs; what is in no such group is `other`. */
        max_groups: z.number().int().min(1).max(20).default(5),
      })
      .nullish(),
    /** What is answered; runs and errors are always counted. Everything but feedback where it is absent. */
    select: filterBy(z.array(z.enum(seriesParts)).nullable()),
    /** The keys of feedback that are answered; the 20 most frequent ones where it is absent. */
    feedback_keys: filterBy(z.array(WellFormedText).max(20).nullable()),
    /** Whether the period before, of the same length, is summed for comparison. */
    compare: z.boolean().default(true),
  })
  .meta({ id: 'SeriesQuery' });
export type SeriesQuery = z.output<typeof SeriesQuery>;

const number = z.number().nullable();
const percentile = number.optional();

/** Times are in seconds; percentiles are of runs that have a value. Interrupts are no errors. */
const SeriesSums = z
  .object({
    runs: z.number(),
    errors: z.number(),
    error_rate: number,
    latency_p50: percentile,
    latency_p95: percentile,
    latency_p99: percentile,
    first_token_p50: percentile,
    first_token_p95: percentile,
    prompt_tokens: z.number().optional(),
    completion_tokens: z.number().optional(),
    total_tokens: z.number().optional(),
    /** Dollars; null where nothing is priced. */
    total_cost: number.optional(),
    /** The 20 most frequent keys. The average is of scores. */
    feedback: z.record(z.string(), z.object({ count: z.number(), average: number })).optional(),
  })
  .meta({ id: 'SeriesSums' });
export type SeriesSums = z.output<typeof SeriesSums>;

const SeriesPoint = SeriesSums.extend({ start_time: z.string() }).meta({ id: 'SeriesPoint' });

const Series = z
  .object({
    /** `all` the runs of the question, one `group` of them, or those of `other` groups. */
    kind: z.enum(['all', 'group', 'other']),
    /** The value by which it is grouped. */
    group: z.string().nullable(),
    /** In order; buckets without runs are left out. */
    points: z.array(SeriesPoint),
    total: SeriesSums,
    /** The same of the period before; null where it isn't asked for. */
    before: SeriesSums.nullable(),
  })
  .meta({ id: 'Series' });
export type Series = z.output<typeof Series>;

const SeriesAnswer = z
  .object({
    start_time: z.string(),
    end_time: z.string(),
    bucket_s: z.number(),
    /** `all` first, then groups by their number of runs, then `other` where there are more. */
    series: z.array(Series),
  })
  .meta({ id: 'SeriesAnswer' });
export type SeriesAnswer = z.output<typeof SeriesAnswer>;

export const series = {
  querySeries: endpoint({
    ...v2,
    method: 'POST',
    path: '/v2/series/query',
    summary:
      'Sum up runs over time: counts, errors, latencies, tokens, costs and feedback by bucket, by group, and beside the period before',
    access: 'traces:read',
    errors: [404],
    body: SeriesQuery,
    success: { status: 200, body: SeriesAnswer },
    example: {
      body: {
        start_time: '2026-01-05T00:00:00Z',
        end_time: '2026-01-06T00:00:00Z',
        bucket_s: 3600,
        group_by: { attribute: 'model', max_groups: 5 },
      },
    },
  }),
};
