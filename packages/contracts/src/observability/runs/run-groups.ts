import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { Uuid } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { InstantText } from '../instant-text.ts';
import { v1 } from '../mounts.ts';
import { RunStats } from './run-stats.ts';

const number = z.number().nullable();

export const RunGroupQuery = z
  .object({
    session_id: Uuid,
    group_by: z.literal('conversation'),
    /** A filter of the roots, in the filter language. */
    filter: WellFormedText.nullish(),
    start_time: InstantText.nullish(),
    end_time: InstantText.nullish(),
    offset: z.number().int().min(0).default(0),
    limit: z.number().int().min(1).max(100).default(10),
  })
  .meta({ id: 'RunGroupQuery' });
export type RunGroupQuery = z.output<typeof RunGroupQuery>;

const RunGroup = z
  .object({
    group_key: z.string(),
    thread_id: z.string(),
    /** A filter that finds the runs of the group. */
    filter: z.string(),
    count: z.number(),
    total_tokens: z.number(),
    total_cost: number,
    min_start_time: z.string().nullable(),
    max_start_time: z.string().nullable(),
    latency_p50: number,
    latency_p99: number,
    feedback_stats: z.record(z.string(), z.unknown()),
    first_inputs: z.string().nullable(),
    last_outputs: z.string().nullable(),
    last_error: z.string().nullable(),
  })
  .meta({ id: 'RunGroup' });

const session = '0199d3a0-0000-7000-8000-00000000000b';

export const runGroups = {
  groupRuns: endpoint({
    ...v1,
    method: 'POST',
    path: '/runs/group',
    summary: 'Group root runs by conversation, the newest first',
    access: 'traces:read',
    errors: [404],
    body: RunGroupQuery,
    success: { status: 200, body: z.object({ groups: z.array(RunGroup), total: z.number() }) },
    example: { body: { session_id: session, group_by: 'conversation', limit: 20 } },
  }),
  readRunGroupStats: endpoint({
    ...v1,
    method: 'POST',
    path: '/runs/group/stats',
    summary: 'Sum up root runs that are grouped by conversation',
    access: 'traces:read',
    errors: [404],
    body: RunGroupQuery,
    success: { status: 200, body: RunStats.extend({ group_count: z.number() }) },
    example: { body: { session_id: session, group_by: 'conversation' } },
  }),
};
