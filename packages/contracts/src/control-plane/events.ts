import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { queryInt, Uuid, Timestamp } from '../query-values.ts';
import { mounts } from './deployments.ts';
import { WellFormedText } from '../well-formed-text.ts';

export const Event = z
  .object({
    id: WellFormedText,
    at: Timestamp,
    kind: WellFormedText,
    deployment_id: Uuid.nullable(),
    revision_id: Uuid.nullable(),
    actor: WellFormedText,
    from: WellFormedText.nullable(),
    to: WellFormedText.nullable(),
    detail: z.record(WellFormedText, z.unknown()),
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
      cursor: WellFormedText.optional(),
    }),
    success: {
      status: 200,
      body: z.object({ items: z.array(Event), next_cursor: WellFormedText.nullable() }),
    },
    example: { query: { page_size: '50' } },
  }),
};
