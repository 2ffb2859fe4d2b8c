import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { queryFlag, Uuid } from '../../values/query-values.ts';
import { v1, retiring } from '../mounts.ts';
import { Instant } from './annotation-queue-runs.ts';

const text = z.string().nullable();

const QueueEntry = z
  .object({
    id: z.string(),
    queue_id: z.string(),
    run_id: z.string(),
    added_at: z.string(),
    last_reviewed_time: text,
    source_proposed_example_id: text,
  })
  .meta({ id: 'QueueEntry' });

const RunToQueue = z.object({ run_id: Uuid, source_proposed_example_id: Uuid.nullish() });
const RunKey = RunToQueue.extend({ session_id: Uuid, start_time: Instant }).meta({ id: 'RunKey' });
const write = { ...v1, access: 'feedback:write' } as const;
const queue = '/annotation-queues/{queue_id}' as const;
const params = z.object({ queue_id: Uuid });
const entry = z.object({ queue_id: Uuid, queue_run_id: Uuid });
const done = { status: 200, body: z.object({ message: z.string() }) } as const;
const keeping = z.object({ extend_trace_retention: queryFlag.default(false) });
const run_id = '0199d3a0-0000-7000-8000-0000000000ae';

export const annotationQueueEntries = {
  addRunsToQueue: endpoint({
    ...retiring,
    ...write,
    method: 'POST',
    path: `${queue}/runs`,
    summary: 'Put runs into an annotation queue; one that is in it already stays where it is',
    params,
    query: keeping,
    body: z
      .array(z.union([Uuid, RunToQueue]))
      .min(1)
      .max(1000),
    success: { status: 200, body: z.array(QueueEntry) },
    example: { query: { extend_trace_retention: 'false' }, body: [run_id] },
  }),
  addKeyedRunsToQueue: endpoint({
    ...write,
    method: 'POST',
    path: `${queue}/runs/by-key`,
    summary: 'Put runs into an annotation queue, by their keys',
    params,
    query: keeping,
    body: z.array(RunKey).min(1).max(1000),
    success: { status: 200, body: z.array(QueueEntry) },
    example: {
      query: { extend_trace_retention: 'false' },
      body: [
        {
          run_id,
          session_id: '0199d3a0-0000-7000-8000-00000000000b',
          start_time: '2026-01-01T00:00:00Z',
        },
      ],
    },
  }),
  removeRunsFromQueue: endpoint({
    ...retiring,
    ...write,
    method: 'POST',
    path: `${queue}/runs/delete`,
    summary: 'Take several runs out of an annotation queue, or all of them',
    params,
    body: z
      .object({
        delete_all: z.boolean().default(false),
        run_ids: z.array(Uuid).max(1000).nullish(),
        exclude_run_ids: z.array(Uuid).max(1000).nullish(),
      })
      .meta({ id: 'AnnotationQueueRunsDelete' }),
    success: done,
    example: { body: { delete_all: true, exclude_run_ids: [run_id] } },
  }),
  patchQueuedRun: endpoint({
    ...retiring,
    ...write,
    method: 'PATCH',
    path: `${queue}/runs/{queue_run_id}`,
    summary: 'Change when an entry of an annotation queue was added or reviewed',
    params: entry,
    body: z
      .object({ added_at: Instant.nullish(), last_reviewed_time: Instant.nullish() })
      .meta({ id: 'QueuedRunUpdate' }),
    success: { status: 200, body: QueueEntry },
    example: { body: { added_at: '2026-01-02T00:00:00Z' } },
  }),
  removeRunFromQueue: endpoint({
    ...retiring,
    ...write,
    method: 'DELETE',
    path: `${queue}/runs/{queue_run_id}`,
    summary: 'Take a run out of an annotation queue',
    params: entry,
    success: done,
  }),
  setQueuedRunStatus: endpoint({
    ...retiring,
    ...write,
    method: 'POST',
    path: '/annotation-queues/status/{queue_run_id}',
    summary: 'Set how far the caller is with an entry of an annotation queue; null begins again',
    params: z.object({ queue_run_id: Uuid }),
    body: z
      .object({ status: z.enum(['viewed', 'completed']).nullish(), override_added_at: Instant.nullish() })
      .meta({ id: 'QueuedRunStatus' }),
    success: done,
    example: { body: { status: 'viewed' } },
  }),
};
