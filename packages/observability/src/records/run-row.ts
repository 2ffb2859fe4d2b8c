import type { Details, ModelNames, Usage } from './run-operation.ts';

/** A run's hot row as SQL names it. Instants as ISO text with microseconds. */
export interface RunRow {
  readonly workspace_id: string;
  readonly run_id: string;
  readonly tier: string;
  /** Monday of the week in which the first part of the trace arrived, `2026-01-05`. */
  readonly week: string;
  readonly trace_id: string;
  readonly parent_run_id: string | null;
  readonly dotted_order: string;
  readonly name: string | null;
  readonly run_type: string | null;
  readonly start_time: string;
  readonly end_time: string | null;
  readonly first_token_time: string | null;
  readonly session_id: string;
  readonly thread_id: string | null;
  readonly reference_example_id: string | null;
  readonly is_root: boolean;
  readonly has_error: boolean;
  readonly tags: readonly string[] | null;
  readonly inputs_preview: string | null;
  readonly outputs_preview: string | null;
  readonly error_preview: string | null;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly total_tokens: number | null;
  readonly prompt_cost: string | null;
  readonly completion_cost: string | null;
  readonly total_cost: string | null;
  readonly prompt_token_details: Details | null;
  readonly completion_token_details: Details | null;
  readonly prompt_cost_details: Details | null;
  readonly completion_cost_details: Details | null;
  /** The price by which the costs were computed; null where the client sent them, or there are none. */
  readonly price_model_id: string | null;
  readonly model: ModelNames | null;
  /** Whether it stands below a call that says its usage, which then counts for both. */
  readonly within_call: boolean;
  /** Which fields a patch said (`run-merge-rules.ts`). */
  readonly patched: number;
  /** Which fields the run said itself, rather than having them from its trace or from its arrival (`own`). */
  readonly own: number;
}

/** Bits of `RunRow.own`. */
export const own = { trace_id: 1, dotted_order: 2, session: 4, thread_id: 8, start_time: 16 } as const;

/** Where a trace lives, and what its runs have from it. */
export interface TracePlace {
  readonly workspace_id: string;
  readonly trace_id: string;
  readonly tier: string;
  readonly week: string;
  /** The root's project and conversation; null until the root is there. */
  readonly session_id: string | null;
  readonly thread_id: string | null;
  readonly run_count: number;
  /** Whether any of its runs counts something. */
  readonly counts?: boolean;
  /** The deletion that it waits for; nobody sees it any more. */
  readonly deletion_id?: string | null;
  /** Whether it is not stored yet. */
  readonly is_new: boolean;
}

export const traceKeyOf = (trace: { readonly workspace_id: string; readonly trace_id: string }): string =>
  `${trace.workspace_id}/${trace.trace_id}`;

/** What the runs of a trace add up to; costs as decimal text. */
export interface TraceTotals {
  readonly first_token_time: string | null;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_cost: string | null;
  readonly completion_cost: string | null;
  readonly total_cost: string | null;
  readonly prompt_token_details: Details | null;
  readonly completion_token_details: Details | null;
  readonly prompt_cost_details: Details | null;
  readonly completion_cost_details: Details | null;
}

export interface TraceFacts extends TraceTotals {
  /** When the first part of it arrived. */
  readonly received_at: string;
}

/** What a flush adds to a trace; of `first_token_time` the earliest of the runs written. */
export interface TraceChange extends TracePlace, TraceTotals {
  /** Runs that are new; `run_count` is what was there. */
  readonly new_runs: number;
}

/** A trace that turned out to be a part of another. */
export interface TraceMerge {
  readonly workspace_id: string;
  readonly from: string;
  readonly to: string;
}

/** A run as far as its place goes. */
export type PlacedRun = Pick<
  RunRow,
  'workspace_id' | 'run_id' | 'trace_id' | 'tier' | 'week' | 'dotted_order'
>;

/** Runs that use tokens themselves; others only report those of runs below them. */
export const modelCallTypes: readonly string[] = ['llm', 'embedding'];

const nothing: Usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/**
 * What a run itself used: of what calls no model only the cost that the client sent is told, since a search may cost
 * something.
 */
export function ownUsage(row: RunRow): Usage {
  return modelCallTypes.includes(row.run_type ?? '')
    ? usageIn(row)
    : { ...nothing, total_cost: row.total_cost ?? undefined };
}

/** What counts of it in sums over runs: what a call used counts once, whatever runs above and below it report. */
export function countedUsage(row: RunRow | undefined): Usage {
  return row === undefined || row.within_call ? nothing : ownUsage(row);
}

/** Whether anything of it may count. */
export const saysUsage = (row: RunRow | undefined): boolean =>
  (row?.total_tokens ?? 0) > 0 || Number(row?.total_cost ?? 0) > 0;

/** Whether it counts for all that is below it. */
export const isOuterCall = (row: RunRow): boolean => row.run_type === 'llm' && saysUsage(row);

/** All that a row says of tokens and costs. */
export function usageIn(row: RunRow): Usage {
  return {
    prompt_tokens: row.prompt_tokens ?? 0,
    completion_tokens: row.completion_tokens ?? 0,
    total_tokens: row.total_tokens ?? 0,
    prompt_cost: row.prompt_cost ?? undefined,
    completion_cost: row.completion_cost ?? undefined,
    total_cost: row.total_cost ?? undefined,
    prompt_token_details: row.prompt_token_details ?? undefined,
    completion_token_details: row.completion_token_details ?? undefined,
    prompt_cost_details: row.prompt_cost_details ?? undefined,
    completion_cost_details: row.completion_cost_details ?? undefined,
  };
}

/** A run that has not come, above one that has. */
export interface Gap {
  readonly workspace_id: string;
  readonly trace_id: string;
  readonly missing_id: string;
}
