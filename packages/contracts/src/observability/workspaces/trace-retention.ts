import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { Timestamp, Uuid } from '../../values/query-values.ts';
import { v1 } from '../mounts.ts';

/** The retention of traces: the default tier of projects, and how long the long one keeps traces. */

const Tier = z.enum(['longlived', 'shortlived']);
/** The values that `/info` answers. */
export const LONGLIVED_TTL_DAYS = [30, 60, 90, 120, 150, 180, 240, 300, 365, 400] as const;
const Days = z.literal([...LONGLIVED_TTL_DAYS]);

const TraceRetention = z
  .object({
    id: z.string(),
    tenant_id: z.string(),
    organization_id: z.string(),
    default_trace_tier: Tier,
    apply_to_all_projects: z.boolean(),
    longlived_ttl_days: z.number(),
    configured_by: z.enum(['system', 'user']),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'TTLSettings' });

const Upsert = z.object({
  tenant_id: Uuid.nullish(),
  default_trace_tier: Tier,
  /** Whether to change projects that chose a tier themselves, too; experiments keep theirs. */
  apply_to_all_projects: z.boolean().default(false),
  longlived_ttl_days: Days.nullish(),
});
const example = { body: { default_trace_tier: 'shortlived', apply_to_all_projects: false } } as const;

const LongRetention = z.object({
  tenant_id: z.string(),
  longlived_ttl_days: z.number(),
  is_custom: z.boolean(),
});

export const traceRetention = {
  readOrganizationRetention: endpoint({
    ...v1,
    method: 'GET',
    path: '/orgs/ttl-settings',
    summary: 'Read how long the organisation, which is the workspace, keeps traces',
    access: 'workspaces:read',
    success: { status: 200, body: z.array(TraceRetention) },
  }),
  setOrganizationRetention: endpoint({
    ...v1,
    method: 'PUT',
    path: '/orgs/ttl-settings',
    summary: 'Set how long the organisation, which is the workspace, keeps traces',
    access: 'workspaces:admin',
    body: Upsert,
    success: { status: 200, body: TraceRetention },
    example,
  }),
  readWorkspaceRetention: endpoint({
    ...v1,
    method: 'GET',
    path: '/ttl-settings',
    summary: 'Read how long the workspace keeps traces',
    access: 'workspaces:read',
    success: { status: 200, body: z.array(TraceRetention) },
  }),
  setWorkspaceRetention: endpoint({
    ...v1,
    method: 'PUT',
    path: '/ttl-settings',
    summary: 'Set how long the workspace keeps traces',
    access: 'workspaces:admin',
    body: Upsert,
    success: { status: 200, body: TraceRetention },
    example,
  }),
  readLongRetention: endpoint({
    ...v1,
    method: 'GET',
    path: '/workspaces/current/ttl-settings',
    summary: 'Read for how many days long-lived traces are kept',
    access: 'workspaces:read',
    success: { status: 200, body: LongRetention },
  }),
  setLongRetention: endpoint({
    ...v1,
    method: 'PUT',
    path: '/workspaces/current/ttl-settings',
    summary: 'Set for how many days long-lived traces are kept',
    access: 'workspaces:admin',
    body: z.object({ longlived_ttl_days: Days }),
    success: { status: 200, body: LongRetention },
    example: { body: { longlived_ttl_days: 90 } },
  }),
};
