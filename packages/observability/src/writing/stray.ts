import type { PartitionKey } from '../partitions/week-rules.ts';

/** Runs that are kept separately until their place is known (`placement-rules.ts`). SDKs send no such runs. */

export interface Stray extends PartitionKey {
  readonly workspace_id: string;
  readonly run_id: string;
  readonly parent_run_id: string | null;
  /** The trace in which it is kept meanwhile. */
  readonly trace_id: string;
}

/** A stray, and the place to which it moves with all runs below it; the trace may be its present one. */
export interface StrayMove {
  readonly stray: Stray;
  /** Its order so far. */
  readonly from_order: string;
  readonly to: PartitionKey & { readonly trace_id: string; readonly dotted_order: string };
}

/** A moved run: a stray itself, or one that moved along with a stray above it. */
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
