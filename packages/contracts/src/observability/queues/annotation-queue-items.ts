import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { queryFlag, queryInt, Uuid } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { platform } from '../mounts.ts';

/** Annotation queues as newer clients see them: of runs and of threads, by cursor. */

const text = z.string().nullable();
const Instant = WellFormedText.max(100);
const ItemType = z.enum(['RUN', 'THREAD']);
const ItemSection = z.enum(['needs_my_review', 'needs_others_review', 'archived']);
export type ItemSection = z.output<typeof ItemSection>;

const Item = z
  .object({
    id: z.string(),
    queue_id: z.string(),
    item_type: ItemType,
    run_id: text,
    thread_id: text,
    project_id: text,
    start_time: text,
    added_at: z.string(),
    last_reviewed_time: text,
    source_proposed_example_id: text,
  })
  .meta({ id: 'QueueItem' });
export type QueueItem = z.output<typeof Item>;

const ItemCreate = z.object({
  item_type: ItemType.default('RUN'),
  run_id: Uuid.nullish(),
  thread_id: WellFormedText.min(1).max(1000).nullish(),
  project_id: Uuid.nullish(),
  /** The project, by older clients' name for it. */
  session_id: Uuid.nullish(),
  start_time: Instant.nullish(),
  source_proposed_example_id: Uuid.nullish(),
});
export type QueueItemCreate = z.output<typeof ItemCreate>;

const read = { ...platform, access: 'feedback:read' } as const;
const write = { ...platform, access: 'feedback:write' } as const;
const queues = '/platform/annotation-queues' as const;
const items = `${queues}/{queue_id}/items` as const;
const params = z.object({ queue_id: Uuid });
const item = z.object({ queue_id: Uuid, item_id: Uuid });

export const annotationQueueItems = {
  listQueueItems: endpoint({
    ...read,
    method: 'GET',
    path: items,
    summary: 'List a section of an annotation queue',
    params,
    query: z.object({
      status: ItemSection,
      item_type: ItemType.optional(),
      /** `backward` lists the items before the cursor. */
      direction: z.enum(['forward', 'backward']).default('forward'),
      cursor: WellFormedText.optional(),
      /** When the run began; the year 1 is no bound. */
      min_start_time: Instant.optional(),
      max_start_time: Instant.optional(),
      page_size: queryInt({ min: 1, max: 100, fallback: 20 }),
    }),
    success: {
      status: 200,
      body: z.object({
        items: z.array(
          Item.extend({
            effective_added_at: z.string(),
            reserved_by: z.array(z.string()),
            completed_by: z.array(z.string()),
            assigned_to: z.array(z.string()),
          }),
        ),
        next_cursor: z.string().nullable(),
      }),
    },
    example: { query: { status: 'needs_my_review', page_size: '20' } },
  }),
  addQueueItems: endpoint({
    ...write,
    method: 'POST',
    path: items,
    summary: 'Put runs and threads into an annotation queue',
    params,
    query: z.object({ extend_trace_retention: queryFlag.default(false) }),
    body: z.object({ items: z.array(ItemCreate).min(1).max(1000) }).meta({ id: 'QueueItemsCreate' }),
    success: { status: 200, body: z.object({ items: z.array(Item) }) },
    example: {
      query: { extend_trace_retention: 'false' },
      body: {
        items: [
          {
            item_type: 'THREAD',
            thread_id: 'the-thread-of-the-first',
            session_id: '0199d3a0-0000-7000-8000-00000000000b',
          },
        ],
      },
    },
  }),
  removeQueueItems: endpoint({
    ...write,
    method: 'POST',
    path: `${items}/delete`,
    summary: 'Take items out of an annotation queue',
    params,
    body: z.object({ item_ids: z.array(Uuid).min(1).max(1000) }).meta({ id: 'QueueItemsDelete' }),
    success: { status: 200, body: z.object({ message: z.string() }) },
    example: { body: { item_ids: ['0199d3a0-0000-7000-8000-0000000000c1'] } },
  }),
  countQueueItems: endpoint({
    ...read,
    method: 'GET',
    path: `${items}/count`,
    summary: 'Count a section of an annotation queue',
    params,
    query: z.object({ status: ItemSection, start_time: Instant.optional(), end_time: Instant.optional() }),
    success: { status: 200, body: z.object({ count: z.number() }) },
    example: { query: { status: 'archived' } },
  }),
  patchQueueItem: endpoint({
    ...write,
    method: 'PATCH',
    path: `${items}/{item_id}`,
    summary: 'Change when an item was added or reviewed; null leaves it as it is',
    params: item,
    body: z
      .object({ added_at: Instant.nullish(), last_reviewed_time: Instant.nullish() })
      .meta({ id: 'QueueItemUpdate' }),
    success: { status: 200, body: Item },
    example: { body: { added_at: '2026-01-02T00:00:00Z' } },
  }),
  readQueueItemPlacement: endpoint({
    ...read,
    method: 'GET',
    path: `${items}/{item_id}/placement`,
    summary: 'Find the section of an item for the caller, and its place there, from 0',
    params: item,
    success: {
      status: 200,
      body: z.object({
        section: ItemSection,
        position: z.number(),
        item_type: ItemType,
        /** The cursor of a list of the section that begins with the item. */
        cursor: z.string().nullable(),
      }),
    },
  }),
  setQueueItemStatus: endpoint({
    ...write,
    method: 'POST',
    path: `${queues}/items/{item_id}/status`,
    summary: 'Set how far the caller is with an item; null begins again',
    params: z.object({ item_id: Uuid }),
    body: z
      .object({ status: z.enum(['viewed', 'completed']).nullish(), override_added_at: Instant.nullish() })
      .meta({ id: 'QueueItemStatus' }),
    success: {
      status: 200,
      body: z.object({
        queue_item_id: z.string(),
        status: z.enum(['viewed', 'completed']).nullable(),
        override_added_at: text,
        is_archived: z.boolean(),
      }),
    },
    example: { body: { status: 'viewed' } },
  }),
};
