import type { FeedbackStats } from '../records/feedback-row.ts';
import type { PayloadKind, Payloads } from '../records/run-operation.ts';
import type { Message } from '@roadstead/contracts/messages';
import type { StoredPayload } from '../records/payload-packing.ts';
import type { RunRow, TraceFacts } from '../records/run-row.ts';

/** Everything that is known of a run. */
export interface RunRecord {
  readonly row: RunRow & { readonly received_at: string };
  readonly payloads: Payloads<StoredPayload>;
  /** The facts about its whole trace, where it is a root, or where a field asks for them. */
  readonly trace: TraceFacts | undefined;
  readonly related: RunRelated;
  /** Its messages, in and out, where they are asked for. */
  readonly messages?: readonly Message[] | undefined;
}

/** The facts about a run from other tables; each only where a field asks for it. */
export interface RunRelated {
  readonly tree?: RunTree | undefined;
  /** The token of the link under which anyone reads its trace. */
  readonly share_token?: string | undefined;
  readonly reference_dataset_id?: string | undefined;
  /** Whether an example was made from it. */
  readonly is_in_dataset?: boolean | undefined;
  readonly attachments?: readonly RunAttachment[] | undefined;
  readonly feedback_stats?: FeedbackStats | undefined;
}

/** The groups of related facts, each read by one query a page. */
export type RelatedFact = 'trace' | 'tree' | 'share' | 'experiment' | 'dataset' | 'attachments' | 'feedback';

/** A file of a run, and where it can be fetched for an hour. */
export interface RunAttachment {
  readonly name: string;
  readonly content_type: string;
  readonly url: string;
}

/** The data that the fields of an answer need beside the hot rows. */
export interface RecordSelection {
  readonly payloads: readonly PayloadKind[];
  readonly facts: ReadonlySet<RelatedFact>;
  /** Whether the messages in inputs and outputs are needed. */
  readonly messages?: boolean;
}

/** The place of a run in its trace; instants as ISO text. */
export interface RunTree {
  /** Its place in the trace, from 1. */
  readonly execution_order: number;
  readonly child_run_ids: readonly string[];
  readonly direct_child_run_ids: readonly string[];
  readonly trace_min_start_time: string;
  readonly trace_max_start_time: string;
}
