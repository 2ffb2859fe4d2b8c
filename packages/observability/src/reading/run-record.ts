import type { FeedbackStats } from '../records/feedback-row.ts';
import type { PayloadKind, Payloads } from '../records/run-operation.ts';
import type { Message } from '@roadstead/contracts/messages';
import type { StoredPayload } from '../records/payload-packing.ts';
import type { RunRow, TraceFacts } from '../records/run-row.ts';

/** What there is of a run. */
export interface RunRecord {
  readonly row: RunRow & { readonly received_at: string };
  readonly payloads: Payloads<StoredPayload>;
  /** Of its whole trace; where it is a root, or where a field asks for it. */
  readonly trace: TraceFacts | undefined;
  readonly related: RunRelated;
  /** What it was told and said; where that is wanted. */
  readonly messages?: readonly Message[] | undefined;
}

/** What other tables hold of a run; each only where a field asks for it. */
export interface RunRelated {
  readonly tree?: RunTree | undefined;
  /** The address by which anybody reads its trace. */
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

/** What the fields of an answer ask for beside the hot rows. */
export interface RecordSelection {
  readonly payloads: readonly PayloadKind[];
  readonly facts: ReadonlySet<RelatedFact>;
  /** Whether the messages in inputs and outputs are. */
  readonly messages?: boolean;
}

/** How a run stands in its trace; instants as ISO text. */
export interface RunTree {
  /** Its place in the trace, from 1. */
  readonly execution_order: number;
  readonly child_run_ids: readonly string[];
  readonly direct_child_run_ids: readonly string[];
  readonly trace_min_start_time: string;
  readonly trace_max_start_time: string;
}
