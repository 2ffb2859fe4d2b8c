import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { Uuid } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { platform, v1 } from '../mounts.ts';

/**
 * Deletes traces: they are hidden from everybody when the answer comes and removed within a minute, as the status
 * shows.
 */

const Scalar = z.union([WellFormedText, z.number(), z.boolean()]);
const DeletionRequest = z
  .object({
    session_id: Uuid.nullish(),
    trace_ids: z.array(Uuid).min(1).max(1000).nullish(),
    /** Instead of ids: traces with a run that has any of these. */
    metadata: z.record(WellFormedText, z.union([Scalar, z.array(Scalar).max(1000)])).nullish(),
  })
  .meta({ id: 'DeletionRequest' });

const Deletion = z
  .object({
    id: z.string(),
    status: z.enum(['running', 'completed']),
    created_at: z.string(),
    completed_at: z.string().nullable(),
    traces: z.number(),
    remaining_traces: z.number(),
    removed: z.object({
      traces: z.number(),
      runs: z.number(),
      payloads: z.number(),
      attachments: z.number(),
      feedback: z.number(),
    }),
  })
  .meta({ id: 'Deletion' });

const begin = {
  ...v1,
  method: 'POST',
  access: 'traces:admin',
  errors: [404],
  body: DeletionRequest,
  success: { status: 200, body: Deletion },
} as const;
const some = {
  session_id: '0199d3a0-0000-7000-8000-00000000000b',
  trace_ids: ['0199d3a0-0000-7000-8000-0000000000aa'],
};

export const deletions = {
  deleteRuns: endpoint({
    ...begin,
    path: '/runs/delete',
    summary: 'Delete traces of a project, or by metadata in all projects',
    example: { body: some },
  }),
  deleteTraces: endpoint({
    ...begin,
    path: '/runs/delete/traces',
    summary: 'Delete traces of a project, or by metadata in all projects',
    example: { body: some },
  }),
  readDeletion: endpoint({
    ...platform,
    method: 'GET',
    path: '/deletions/{deletion_id}',
    summary: 'Read how far a deletion has come',
    access: 'traces:read',
    params: z.object({ deletion_id: Uuid }),
    success: { status: 200, body: Deletion },
  }),
};
