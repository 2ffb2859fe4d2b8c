import type { PartitionKey } from '../partitions/week-rules.ts';

export interface DeletedTrace extends PartitionKey {
  readonly workspace_id: string;
  readonly trace_id: string;
  readonly deletion_id: string;
}

export interface DeletionRow {
  readonly workspace_id: string;
  readonly id: string;
  readonly created_at: string;
  readonly completed_at: string | null;
  /** The number of marked traces. */
  readonly traces: number;
  /** The number of them that still wait. */
  readonly remaining_traces: number;
  readonly removed: Partial<Readonly<Record<'runs' | 'payloads' | 'attachments' | 'feedback', number>>>;
}
