import type { PartitionKey } from '../partitions/week-rules.ts';

/** Runs that are kept apart until their place is known (`placement-rules.ts`). Clients that are SDKs make none. */

export interface Stray extends PartitionKey {
  readonly workspace_id: string;
  readonly run_id: string;
  readonly parent_run_id: string | null;
  /** Where it is kept meanwhile. */
  readonly trace_id: string;
}

/** A stray, and where it goes with all that is below it; the trace may be the one it is in already. */
export interface StrayMove {
  readonly stray: Stray;
  /** Its order so far. */
  readonly from_order: string;
  readonly to: PartitionKey & { readonly trace_id: string; readonly dotted_order: string };
}

/** A run that was moved, itself or along with a stray above it. */
export interface MovedRun extends PartitionKey {
  readonly workspace_id: string;
  readonly run_id: string;
  readonly from_trace: string;
  readonly trace_id: string;
  readonly dotted_order: string;
  readonly parent_run_id: string | null;
  readonly within_call: boolean;
  /** The stray with which it was moved. */
  readonly with_run_id: string;
}
