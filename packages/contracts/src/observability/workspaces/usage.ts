import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { queryFlag, queryList, Uuid } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { v1 } from '../mounts.ts';

/** The usage of a workspace, and its limits. */

const text = z.string().nullable();
/** An instant; without an offset it is UTC. */
const Instant = WellFormedText.refine((value) => !Number.isNaN(Date.parse(value)), 'must be a time');

const OrgUsage = z
  .object({
    customer_id: z.string(),
    billable_metric_id: z.string(),
    billable_metric_name: z.string(),
    start_timestamp: z.string(),
    end_timestamp: z.string(),
    value: z.number(),
    /** The usage by workspace. */
    groups: z.record(z.string(), z.number()),
  })
  .meta({ id: 'OrgUsage' });

const granular = z.object({
  start_time: Instant,
  end_time: Instant,
  workspace_ids: queryList(Uuid),
  group_by: z.enum(['user', 'api_key', 'project', 'workspace']).default('workspace'),
});
const granularExample = {
  query: {
    start_time: '2026-01-01T00:00:00Z',
    end_time: '2026-02-01T00:00:00Z',
    workspace_ids: ['0199d3a0-0000-7000-8000-000000000003'],
    group_by: 'project' as const,
  },
};

export const usage = {
  readUsage: endpoint({
    ...v1,
    method: 'GET',
    path: '/orgs/current/billing/usage',
    summary: 'How many traces came each day, and how many of them are kept long',
    access: 'usage:read',
    query: z.object({
      starting_on: Instant,
      ending_before: Instant,
      on_current_plan: queryFlag.default(true),
    }),
    success: { status: 200, body: z.array(OrgUsage) },
    example: { query: { starting_on: '2026-01-01T00:00:00Z', ending_before: '2026-02-01T00:00:00Z' } },
  }),
  readGranularUsage: endpoint({
    ...v1,
    method: 'GET',
    path: '/orgs/current/billing/granular-usage',
    summary: 'How many traces came each day, by project or workspace; who sent them is not recorded',
    access: 'usage:read',
    query: granular,
    success: {
      status: 200,
      body: z.object({
        stride: z.object({ days: z.number(), hours: z.number() }),
        usage: z.array(
          z.object({
            time_bucket: z.string(),
            dimensions: z.object({
              user_id: text,
              user_email: text,
              api_key_id: text,
              api_key_short_key: text,
              project_id: text,
              project_name: text,
              workspace_id: text,
              workspace_name: text,
            }),
            traces: z.number(),
          }),
        ),
      }),
    },
    example: granularExample,
  }),
  exportGranularUsage: endpoint({
    ...v1,
    method: 'GET',
    path: '/orgs/current/billing/granular-usage/export',
    summary: 'The same as CSV',
    access: 'usage:read',
    query: granular,
    success: { status: 200, media_types: ['text/csv'] },
    example: granularExample,
  }),
};
