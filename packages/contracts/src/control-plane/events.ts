import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { queryInt, Uuid } from '../query-values.ts';
import { mounts } from './deployments.ts';

export const Event = z
  .object({
    id: z.string(),
    at: z.string(),
    kind: z.string(),
    deployment_id: z.string().nullable(),
    revision_id: z.string().nullable(),
    actor: z.string(),
    from: z.string().nullable(),
    to: z.string().nullable(),
    detail: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Event' });
export type Event = z.output<typeof Event>;

export const events = {
  listEvents: endpoint({
    method: 'GET',
    path: '/v2/events',
    summary: 'What happened to deployments and revisions, newest first',
    access: 'deployments:read',
    mounts,
    query: z.object({
      deployment_id: Uuid.optional(),
      page_size: queryInt({ min: 1, max: 100, fallback: 20 }),
      cursor: z.string().optional(),
    }),
    success: { status: 200, body: z.object({ items: z.array(Event), next_cursor: z.string().nullable() }) },
  }),
};
