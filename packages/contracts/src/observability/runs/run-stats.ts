import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { filterBy } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { v1 } from '../mounts.ts';
import { RunQuery } from './runs.ts';

const number = z.number().nullable();
const details = z.record(z.string(), z.number());

/** The statistics of runs. Times are in seconds; percentiles are of runs that have a value. */
export const RunStats = z
  .object({
    run_count: z.number(),
    latency_p50: number,
    latency_p99: number,
    latency_avg: number,
    first_token_p50: number,
    first_token_p99: number,
    total_tokens: z.number(),
    prompt_tokens: z.number(),
    completion_tokens: z.number(),
    median_tokens: number,
    tokens_p99: number,
    prompt_tokens_p50: number,
    prompt_tokens_p99: number,
    completion_tokens_p50: number,
    completion_tokens_p99: number,
    last_run_start_time: z.string().nullable(),
    error_rate: number,
    streaming_rate: number,
    total_cost: number,
    prompt_cost: number,
    completion_cost: number,
    cost_p50: number,
    cost_p99: number,
    prompt_token_details: details,
    completion_token_details: details,
    prompt_cost_details: details,
    completion_cost_details: details,
    feedback_stats: z.record(z.string(), z.unknown()),
    thread_feedback_stats: z.record(z.string(), z.unknown()),
    session_feedback_stats: z.record(z.string(), z.unknown()),
    run_facets: z.array(z.object({ key: z.string(), value: z.string(), query: z.string(), n: z.number() })),
  })
  .partial()
  .meta({ id: 'RunStats' });
export type RunStats = z.output<typeof RunStats>;

const attributes = ['name', 'run_type', 'tag', 'metadata'] as const;

export const RunStatsQuery = RunQuery.omit({ cursor: true, limit: true, select: true, order: true })
  .extend({
    /** The names of statistics; by default all but facets and the feedback on threads and projects. */
    select: filterBy(z.array(WellFormedText).nullable()),
    /** Only these groups. */
    groups: filterBy(z.array(WellFormedText.nullable()).nullable()),
    group_by: z
      .object({
        attribute: z.enum(attributes),
        /** The key, for groups by `metadata`. */
        path: WellFormedText.nullish(),
        max_groups: z.number().int().min(1).max(1000).default(5),
      })
      .nullish(),
  })
  .meta({ id: 'RunStatsQuery' });
export type RunStatsQuery = z.output<typeof RunStatsQuery>;

const session = '0199d3a0-0000-7000-8000-00000000000b';

export const runStats = {
  validateRunQuery: endpoint({
    ...v1,
    method: 'POST',
    path: '/runs/query/validate',
    summary: 'Check a query of runs without asking it',
    access: 'traces:read',
    body: RunQuery,
    success: {
      status: 200,
      body: z.object({
        valid: z.boolean(),
        errors: z.array(
          z.object({ loc: z.array(z.union([z.string(), z.number()])), msg: z.string(), type: z.string() }),
        ),
      }),
    },
    example: { body: { session: [session], filter: 'eq(run_type, "llm")' } },
  }),
  readRunStats: endpoint({
    ...v1,
    method: 'POST',
    path: '/runs/stats',
    summary: 'Sum up the runs that a query finds; with `group_by`, by group',
    access: 'traces:read',
    errors: [404],
    body: RunStatsQuery,
    success: { status: 200, body: z.union([RunStats, z.record(z.string(), RunStats)]) },
    example: { body: { session: [session], is_root: true, group_by: { attribute: 'name' } } },
  }),
};
