import type { AnnotationQueueWithRubric, QueueItem } from '@roadstead/contracts/observability';

/** An annotation queue as its row in SQL; instants are ISO text. */
export interface QueueRow extends Omit<
  AnnotationQueueWithRubric,
  'tenant_id' | 'run_rule_id' | 'assigned_reviewers'
> {
  readonly workspace_id: string;
  readonly assigned_reviewers: readonly string[];
}

export interface ItemRow extends Omit<QueueItem, 'project_id'> {
  readonly workspace_id: string;
  readonly session_id: string | null;
}

/** The section in which a reviewer sees an item. */
export type Section = 'needs_my_review' | 'needs_others_review' | 'completed';

/** An item as a reviewer sees it. */
export interface StagedItem extends ItemRow {
  readonly section: Section;
  /** When it was added, or the time to which this reviewer put it off. */
  readonly effective_added_at: string;
  readonly completed_by: readonly string[];
  readonly reserved_by: readonly string[];
  /** The reviewers of its queue. */
  readonly assigned_to: readonly string[];
}

export interface QueueId {
  readonly workspace_id: string;
  readonly queue_id: string;
}

/** The reviewer who looks at a queue, and the time (ISO text). */
export interface QueueViewer {
  readonly reviewer_id: string;
  readonly now: string;
}
