import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { Timestamp, Uuid } from '../../values/query-values.ts';
import { v1 } from '../mounts.ts';

/** `monthly_bytes` counts compressed payloads of runs, and their files. */
const LimitType = z.enum(['monthly_traces', 'monthly_longlived_traces', 'monthly_bytes']);
const UsageLimit = z
  .object({
    id: z.string(),
    tenant_id: z.string(),
    limit_type: LimitType,
    limit_value: z.number(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'UsageLimit' });

export const usageLimits = {
  readWorkspaceUsage: endpoint({
    ...v1,
    method: 'GET',
    path: '/workspaces/current/usage_limits',
    summary: 'Whether the workspace has reached a limit, and which',
    access: 'usage:read',
    success: {
      status: 200,
      body: z.object({
        in_reject_set: z.boolean(),
        usage_limit_type: LimitType.nullable(),
        tenant_limit: z.number().nullable(),
      }),
    },
  }),
  listUsageLimits: endpoint({
    ...v1,
    method: 'GET',
    path: '/usage-limits',
    summary: 'List the usage limits of the workspace',
    access: 'usage:read',
    success: { status: 200, body: z.array(UsageLimit) },
  }),
  listOrganizationUsageLimits: endpoint({
    ...v1,
    method: 'GET',
    path: '/usage-limits/org',
    summary: 'The same, since the workspace is the organisation',
    access: 'usage:read',
    success: { status: 200, body: z.array(UsageLimit) },
  }),
  setUsageLimit: endpoint({
    ...v1,
    method: 'PUT',
    path: '/usage-limits',
    summary:
      'Limit the traces or their bytes a month: beyond it, new traces are refused with 429, or are not kept long',
    access: 'workspaces:admin',
    body: z.object({
      limit_type: LimitType,
      limit_value: z.number().int().min(0).max(1_000_000_000_000_000),
      id: Uuid.nullish(),
    }),
    success: { status: 200, body: UsageLimit },
    example: { body: { limit_type: 'monthly_traces', limit_value: 1_000_000 } },
  }),
  deleteUsageLimit: endpoint({
    ...v1,
    method: 'DELETE',
    path: '/usage-limits/{usage_limit_id}',
    summary: 'Remove a usage limit',
    access: 'workspaces:admin',
    params: z.object({ usage_limit_id: Uuid }),
    success: { status: 200, body: z.object({ message: z.string() }) },
  }),
};
