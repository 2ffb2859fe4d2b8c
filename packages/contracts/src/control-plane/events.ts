import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { queryInt, Uuid, Timestamp } from '../values/query-values.ts';
import { mounts } from './deployments.ts';
import { WellFormedText } from '../values/well-formed-text.ts';

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

/** The beginning of a kind: `revision` is every kind of a revision, `revision.status` this one. */
export const EventKind = WellFormedText.max(100).regex(/^[a-z_]+(\.[a-z_]+)*$/);

const filters = {
  deployment_id: Uuid.optional(),
  revision_id: Uuid.optional(),
  kind: EventKind.optional(),
  /** The status that was reached: with kind `revision.status` and `DEPLOYED`, the switches to another revision. */
  to: WellFormedText.max(100).optional(),
  /** The time from which on events are listed. */
  since: Timestamp.optional(),
};

export const events = {
  listEvents: endpoint({
    method: 'GET',
    path: '/v2/events',
    summary:
      'What happened in the workspace, newest first; `order=asc` goes on from a cursor, and `Accept: text/event-stream` is the stream',
    access: 'deployments:read',
    mounts,
    query: z.object({
      ...filters,
      /** The time before which they happened. */
      until: Timestamp.optional(),
      order: z.enum(['asc', 'desc']).default('desc'),
      page_size: queryInt({ min: 1, max: 100, fallback: 20 }),
      cursor: WellFormedText.optional(),
    }),
    success: {
      status: 200,
      body: z.object({ items: z.array(Event), next_cursor: WellFormedText.nullable() }),
    },
    example: { query: { page_size: '50', kind: 'revision' } },
  }),
  streamEvents: endpoint({
    method: 'GET',
    path: '/v2/events/stream',
    summary:
      'What happens from now on, as server-sent events: each has the id and the JSON of an event. `Last-Event-ID`, or `since`, is where it begins',
    access: 'deployments:read',
    mounts,
    query: z.object(filters),
    success: { status: 200, media_types: ['text/event-stream'] },
    example: { query: { kind: 'revision' } },
  }),
};
