import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { queryFlag, queryInt, Uuid } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { v1, retiring } from '../mounts.ts';
import { Run } from '../runs/runs.ts';

/** The runs of annotation queues. An entry is named by its own id, or by that of its run. */

const text = z.string().nullable();
const QueueSection = z.enum(['needs_my_review', 'needs_others_review', 'completed']);
export const Instant = WellFormedText.max(100);

/** A run and its state in the queue. */
const QueuedRun = Run.extend({
  queue_run_id: z.string(),
  added_at: z.string(),
  /** Its place in the queue for the caller. */
  effective_added_at: z.string(),
  last_reviewed_time: text,
  source_proposed_example_id: text,
  reserved_by: z.array(z.string()),
  completed_by: z.array(z.string()),
}).meta({ id: 'QueuedRun' });
const Size = z.object({ size: z.number() });

const read = { ...v1, access: 'feedback:read' } as const;
const queue = '/annotation-queues/{queue_id}' as const;
const params = z.object({ queue_id: Uuid });
const entry = z.object({ queue_id: Uuid, queue_run_id: Uuid });

export const annotationQueueRuns = {
  exportAnnotationQueue: endpoint({
    ...read,
    method: 'POST',
    path: `${queue}/export`,
    summary: 'Export the completed runs of an annotation queue with their feedback, 1,000 at most',
    params,
    body: z
      .object({
        start_time: Instant.nullish(),
        end_time: Instant.nullish(),
        include_annotator_detail: z.boolean().default(false),
      })
      .meta({ id: 'AnnotationQueueExport' }),
    success: { status: 200, body: z.array(z.record(z.string(), z.unknown())) },
    example: { body: { start_time: '2026-01-01T00:00:00Z' } },
  }),
  readQueuedRunAt: endpoint({
    ...retiring,
    ...read,
    method: 'GET',
    path: `${queue}/run/{index}`,
    summary: 'Read the run at a place among those that wait for the caller',
    params: z.object({ queue_id: Uuid, index: z.coerce.number().int().min(0).max(1_000_000) }),
    query: z.object({ include_extra: queryFlag.default(false) }),
    success: { status: 200, body: QueuedRun },
    example: { query: { include_extra: 'true' } },
  }),
  listQueuedRuns: endpoint({
    ...retiring,
    ...read,
    method: 'GET',
    path: `${queue}/runs`,
    summary: 'List the runs of an annotation queue, in the order in which they wait',
    params,
    query: z.object({
      status: QueueSection.optional(),
      /** Whether they are completed. */
      archived: queryFlag.optional(),
      include_stats: queryFlag.optional(),
      offset: queryInt({ fallback: 0 }),
      limit: queryInt({ min: 1, max: 100, fallback: 100 }),
    }),
    success: { status: 200, body: z.array(QueuedRun) },
    example: { query: { status: 'needs_my_review' } },
  }),
  resolveQueuedRun: endpoint({
    ...read,
    method: 'GET',
    path: `${queue}/runs/resolve/{queue_run_id}`,
    summary: 'Find the place of an entry of an annotation queue for the caller',
    params: entry,
    success: { status: 200, body: z.object({ section: QueueSection, position: z.number() }) },
  }),
  countOpenQueuedRuns: endpoint({
    ...retiring,
    ...read,
    method: 'GET',
    path: `${queue}/size`,
    summary: 'Count the runs of an annotation queue that are not completed, or those of a section',
    params,
    query: z.object({ status: QueueSection.optional() }),
    success: { status: 200, body: Size },
    example: { query: { status: 'needs_my_review' } },
  }),
  countFinishedQueuedRuns: endpoint({
    ...retiring,
    ...read,
    method: 'GET',
    path: `${queue}/total_archived`,
    summary: 'Count the completed runs of an annotation queue, by when they were reviewed last',
    params,
    query: z.object({ start_time: Instant.optional(), end_time: Instant.optional() }),
    success: { status: 200, body: Size },
    example: { query: { start_time: '2026-01-01T00:00:00Z' } },
  }),
  countQueuedRuns: endpoint({
    ...retiring,
    ...read,
    method: 'GET',
    path: `${queue}/total_size`,
    summary: 'Count all runs of an annotation queue',
    params,
    success: { status: 200, body: Size },
  }),
};
