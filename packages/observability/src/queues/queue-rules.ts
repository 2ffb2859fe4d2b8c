import type {
  AnnotationQueue,
  AnnotationQueueCreate,
  AnnotationQueueUpdate,
  AnnotationQueueWithRubric,
  ItemSection,
  QueueItem,
} from '@roadstead/contracts/observability';
import type { Principal } from '@roadstead/contracts';
import { malformed } from '@roadstead/kit';
import { columnJson } from '../values/column-text-rules.ts';
import { userOf } from '../feedback/feedback-answer-rules.ts';
import { naive, sentInstant } from '../values/instant-rules.ts';
import type { ItemRow, QueueRow, Section, StagedItem } from './queue-row.ts';

/** Annotation queues as the API accepts and answers them. */

/** The reviewer for which all callers without a key stand. */
const NOBODY = '00000000-0000-0000-0000-000000000000';
export const reviewerOf = (principal: Principal): string => userOf(principal) ?? NOBODY;

/** @param names the names of the assigned reviewers. */
export const queueAnswer = (row: QueueRow, names?: ReadonlyMap<string, string>): AnnotationQueue => ({
  id: row.id,
  tenant_id: row.workspace_id,
  name: row.name,
  description: row.description,
  queue_type: row.queue_type,
  default_dataset: row.default_dataset,
  num_reviewers_per_item: row.num_reviewers_per_item,
  enable_reservations: row.enable_reservations,
  reservation_minutes: row.reservation_minutes,
  reviewer_access_mode: row.reviewer_access_mode,
  assigned_reviewers: row.assigned_reviewers.map((id) => ({
    id,
    name: names?.get(id) ?? null,
    email: null,
  })),
  metadata: row.metadata,
  source_rule_id: row.source_rule_id,
  run_rule_id: row.source_rule_id,
  created_at: naive(row.created_at) ?? '',
  updated_at: naive(row.updated_at) ?? '',
});

export const wholeQueueAnswer = (
  row: QueueRow,
  names?: ReadonlyMap<string, string>,
): AnnotationQueueWithRubric => ({
  ...queueAnswer(row, names),
  rubric_items: row.rubric_items,
  rubric_instructions: row.rubric_instructions,
});

export function newQueue(
  body: AnnotationQueueCreate,
  at: Pick<QueueRow, 'workspace_id' | 'id' | 'created_at'>,
): QueueRow {
  return {
    workspace_id: at.workspace_id,
    id: at.id,
    name: body.name,
    description: body.description ?? null,
    queue_type: 'single',
    default_dataset: body.default_dataset ?? null,
    num_reviewers_per_item: body.num_reviewers_per_item === undefined ? 1 : body.num_reviewers_per_item,
    enable_reservations: body.enable_reservations ?? true,
    reservation_minutes: body.reservation_minutes ?? 1,
    reviewer_access_mode: body.reviewer_access_mode ?? 'any',
    assigned_reviewers: [],
    rubric_items: body.rubric_items ?? null,
    rubric_instructions: body.rubric_instructions ?? null,
    metadata: metadataOf(body.metadata) ?? null,
    source_rule_id: null,
    created_at: at.created_at,
    updated_at: at.created_at,
  };
}

/** The keys of feedback that reviewers are asked for. */
export const rubricKeysOf = ({ rubric_items }: QueueRow): string[] =>
  (rubric_items ?? []).map(({ feedback_key }) => feedback_key);

/** Null removes reviewers and metadata, and leaves every other field as it is. */
export function queueChange({ num_reviewers_per_item, metadata, ...others }: AnnotationQueueUpdate) {
  return {
    ...Object.fromEntries(Object.entries(others).filter(([, value]) => value !== null)),
    ...(num_reviewers_per_item === undefined ? {} : { num_reviewers_per_item }),
    ...(metadata === undefined ? {} : { metadata: metadataOf(metadata) }),
  };
}

const MAX_METADATA_CHARS = 65_536;

function metadataOf(metadata: Record<string, unknown> | null | undefined): Record<string, unknown> | null {
  if (metadata === null || metadata === undefined) return null;
  if (JSON.stringify(metadata).length > MAX_METADATA_CHARS)
    throw malformed(['body', 'metadata'], `is larger than ${MAX_METADATA_CHARS} characters`);
  return columnJson(metadata, 'metadata') as Record<string, unknown>;
}

export const entryAnswer = (row: ItemRow) => ({
  id: row.id,
  queue_id: row.queue_id,
  run_id: row.run_id ?? '',
  added_at: naive(row.added_at) ?? '',
  last_reviewed_time: naive(row.last_reviewed_time),
  source_proposed_example_id: row.source_proposed_example_id,
});

export const itemAnswer = (row: ItemRow): QueueItem => ({
  id: row.id,
  queue_id: row.queue_id,
  item_type: row.item_type,
  run_id: row.run_id,
  thread_id: row.thread_id,
  project_id: row.session_id,
  start_time: row.start_time,
  added_at: row.added_at,
  last_reviewed_time: row.last_reviewed_time,
  source_proposed_example_id: row.source_proposed_example_id,
});

export const stagedItemAnswer = (row: StagedItem) => ({
  ...itemAnswer(row),
  effective_added_at: row.effective_added_at,
  reserved_by: [...row.reserved_by],
  completed_by: [...row.completed_by],
  assigned_to: [...row.assigned_to],
});

/** The fields of v1 beside the run itself. */
export const queuedFields = (row: StagedItem) => ({
  queue_run_id: row.id,
  added_at: naive(row.added_at),
  effective_added_at: naive(row.effective_added_at),
  last_reviewed_time: naive(row.last_reviewed_time),
  source_proposed_example_id: row.source_proposed_example_id,
  reserved_by: row.reserved_by,
  completed_by: row.completed_by,
});

/** Newer clients call completed items archived. */
export const sectionOf = (status: ItemSection): Section => (status === 'archived' ? 'completed' : status);
export const itemSectionOf = (section: Section): ItemSection =>
  section === 'completed' ? 'archived' : section;

/** The year 1, which means no bound. */
const ZERO_TIME = /^0001-01-01T00:00:00/;

export function boundAt(
  text: string | undefined,
  loc: readonly [part: string, name: string],
): string | undefined {
  return text === undefined || ZERO_TIME.test(text) ? undefined : sentInstant(text, loc);
}

/** An instant of a request; null where the request has none. @throws Problem `malformed`. */
export function instantAt(
  text: string | null | undefined,
  loc: readonly [part: string, name: string],
): string | null {
  return sentInstant(text, loc) ?? null;
}
