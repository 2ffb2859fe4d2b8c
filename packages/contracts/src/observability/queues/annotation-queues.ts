import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { filterBy, queryFlag, queryInt, queryTexts, Uuid } from '../../values/query-values.ts';
import { JsonObject, WellFormedText } from '../../values/well-formed-text.ts';
import { v1 } from '../mounts.ts';

/** Queues of runs that people review. The calling key identifies the reviewer. */

const text = z.string().nullable();
const Name = WellFormedText.min(1).max(500);
const LongText = WellFormedText.max(65_536);
const descriptions = z.record(WellFormedText, LongText).nullish();

/** A condition on the answers under other keys. */
const Condition = z
  .object({
    join: z.enum(['all', 'any']),
    rules: z
      .array(
        z.object({
          key: WellFormedText.max(180),
          op: z.enum(['is', 'is_one_of', 'is_empty', 'is_not_empty']),
          values: z.array(z.number()).max(1000).nullish(),
        }),
      )
      .max(100),
  })
  .nullish();

/** A question to reviewers; the caller that shows it applies its conditions on other answers. */
const RubricItem = z
  .object({
    feedback_key: WellFormedText.min(1).max(180),
    description: LongText.nullish(),
    value_descriptions: descriptions,
    score_descriptions: descriptions,
    is_required: z.boolean().nullish(),
    is_assertion: z.boolean().nullish(),
    feedback_config_id: WellFormedText.max(180).nullish(),
    feedback_config: JsonObject.nullish(),
    regex_validator: WellFormedText.max(1000).nullish(),
    required_if: Condition,
    visible_if: Condition,
  })
  .meta({ id: 'AnnotationQueueRubricItem' });

const reviewing = {
  /** How many reviewers must finish an item before it is completed; null: all that are assigned. */
  num_reviewers_per_item: z.number().int().min(1).max(1000).nullish(),
  enable_reservations: z.boolean().nullish(),
  reservation_minutes: z.number().int().min(1).max(10_080).nullish(),
  /** `assigned`: only assigned reviewers review, and each of them must finish an item. */
  reviewer_access_mode: z.enum(['any', 'assigned']).nullish(),
  rubric_items: z.array(RubricItem).max(200).nullish(),
  rubric_instructions: LongText.nullish(),
  metadata: JsonObject.nullish(),
};

const QueueCreate = z
  .object({
    id: Uuid.nullish(),
    name: Name,
    description: LongText.nullish(),
    default_dataset: Uuid.nullish(),
    /** The projects whose root runs it holds from the start. */
    session_ids: z.array(Uuid).max(100).nullish(),
    ...reviewing,
  })
  .meta({ id: 'AnnotationQueueCreate' });
export type AnnotationQueueCreate = z.output<typeof QueueCreate>;

/** Absent or null fields stay as they are, but null removes reviewers and metadata. */
const QueueUpdate = z
  .object({
    name: Name.nullish(),
    description: LongText.nullish(),
    default_dataset: Uuid.nullish(),
    ...reviewing,
  })
  .meta({ id: 'AnnotationQueueUpdate' });
export type AnnotationQueueUpdate = z.output<typeof QueueUpdate>;

export const AnnotationQueue = z
  .object({
    id: z.string(),
    tenant_id: z.string(),
    name: z.string(),
    description: text,
    queue_type: z.enum(['single', 'pairwise']),
    default_dataset: text,
    num_reviewers_per_item: z.number().nullable(),
    enable_reservations: z.boolean(),
    reservation_minutes: z.number().nullable(),
    reviewer_access_mode: z.string(),
    assigned_reviewers: z.array(z.object({ id: z.string(), name: text, email: text })),
    metadata: z.record(z.string(), z.unknown()).nullable(),
    source_rule_id: text,
    run_rule_id: text,
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: 'AnnotationQueue' });
export type AnnotationQueue = z.output<typeof AnnotationQueue>;

/** The rubric is shown only where a queue is read by itself: clients rely on its absence elsewhere. */
const AnnotationQueueWithRubric = AnnotationQueue.extend({
  rubric_items: z.array(RubricItem).nullable(),
  rubric_instructions: text,
}).meta({ id: 'AnnotationQueueWithRubric' });
export type AnnotationQueueWithRubric = z.output<typeof AnnotationQueueWithRubric>;

const read = { ...v1, access: 'feedback:read' } as const;
const write = { ...v1, access: 'feedback:write' } as const;
const admin = { ...v1, access: 'feedback:admin' } as const;
const path = '/annotation-queues' as const;
const one = `${path}/{queue_id}` as const;
const params = z.object({ queue_id: Uuid });
const done = { status: 200, body: z.object({ message: z.string() }) } as const;

export const annotationQueues = {
  listAnnotationQueues: endpoint({
    ...read,
    method: 'GET',
    path,
    summary: 'List annotation queues and how much is in them',
    query: z.object({
      ids: filterBy(queryTexts(Uuid)),
      name: WellFormedText.optional(),
      name_contains: WellFormedText.optional(),
      dataset_id: Uuid.optional(),
      queue_type: z.enum(['single', 'pairwise']).optional(),
      assigned_to_me: queryFlag.default(false),
      include_rubric_keys: queryFlag.default(false),
      /** Nothing is tagged here, so a filter by a tag finds nothing. */
      tag_value_id: filterBy(queryTexts(Uuid)),
      sort_by: z.enum(['name', 'created_at', 'updated_at']).default('created_at'),
      sort_by_desc: queryFlag.default(true),
      offset: queryInt({ fallback: 0 }),
      limit: queryInt({ min: 1, max: 100, fallback: 100 }),
    }),
    success: {
      status: 200,
      body: z.array(
        AnnotationQueue.extend({ total_runs: z.number(), rubric_keys: z.array(z.string()).nullable() }),
      ),
    },
    example: { query: { name_contains: 'support', limit: '20' } },
  }),
  createAnnotationQueue: endpoint({
    ...write,
    method: 'POST',
    path,
    summary: 'Create an annotation queue',
    errors: [404, 409],
    body: QueueCreate,
    success: { status: 200, body: AnnotationQueue },
    example: {
      body: {
        name: 'Answers of the support agent',
        rubric_instructions: 'Would the customer have to ask again?',
        rubric_items: [{ feedback_key: 'helpful', is_required: true }],
        num_reviewers_per_item: 2,
      },
    },
  }),
  deleteAnnotationQueues: endpoint({
    ...admin,
    method: 'DELETE',
    path,
    summary: 'Delete several annotation queues',
    errors: [404],
    query: z.object({ queue_ids: queryTexts(Uuid).pipe(z.array(z.string()).min(1).max(100)) }),
    success: done,
    example: { query: { queue_ids: ['0199d3a0-0000-7000-8000-0000000000c0'] } },
  }),
  populateAnnotationQueue: endpoint({
    ...write,
    method: 'POST',
    path: `${path}/populate`,
    summary: 'Put the root runs of projects into an annotation queue, the newest 1,000 of each',
    errors: [404],
    body: z
      .object({ queue_id: Uuid, session_ids: z.array(Uuid).min(1).max(100) })
      .meta({ id: 'AnnotationQueuePopulate' }),
    success: done,
    example: {
      body: {
        queue_id: '0199d3a0-0000-7000-8000-0000000000c0',
        session_ids: ['0199d3a0-0000-7000-8000-00000000000b'],
      },
    },
  }),
  readAnnotationQueue: endpoint({
    ...read,
    method: 'GET',
    path: one,
    summary: 'Read an annotation queue',
    params,
    success: { status: 200, body: AnnotationQueueWithRubric },
  }),
  patchAnnotationQueue: endpoint({
    ...write,
    method: 'PATCH',
    path: one,
    summary: 'Change an annotation queue',
    params,
    body: QueueUpdate,
    success: { status: 200, body: AnnotationQueueWithRubric },
    example: { body: { description: 'Two look at each answer' } },
  }),
  deleteAnnotationQueue: endpoint({
    ...admin,
    method: 'DELETE',
    path: one,
    summary: 'Delete an annotation queue',
    params,
    success: done,
  }),
  listQueuesOfRun: endpoint({
    ...read,
    method: 'GET',
    path: `${path}/{run_id}/queues`,
    summary: 'List the annotation queues that a run is in',
    params: z.object({ run_id: Uuid }),
    success: { status: 200, body: z.array(AnnotationQueue) },
  }),
};
