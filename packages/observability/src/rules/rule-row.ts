import type { SealedWebhook } from './rule-webhooks.ts';

/** A rule as its row in SQL. Instants are ISO text with microseconds. */
export interface RuleRow {
  readonly workspace_id: string;
  readonly id: string;
  readonly display_name: string;
  readonly is_enabled: boolean;
  readonly session_id: string | null;
  readonly dataset_id: string | null;
  readonly sampling_rate: number;
  readonly filter: string | null;
  readonly trace_filter: string | null;
  readonly tree_filter: string | null;
  readonly add_to_dataset_id: string | null;
  readonly add_to_dataset_prefer_correction: boolean;
  readonly add_to_annotation_queue_id: string | null;
  readonly extend_only: boolean;
  readonly webhooks: readonly SealedWebhook[];
  readonly failures: number;
  readonly disabled_reason: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** The fields of a rule that a caller sets. */
export type RuleFields = Omit<
  RuleRow,
  'workspace_id' | 'id' | 'failures' | 'disabled_reason' | 'created_at' | 'updated_at'
>;
