import { type Details, modelNames, type ModelNames, type Usage } from './run-operation.ts';
import type { TraceKey } from '../values/keys.ts';

/** A run's hot row in SQL. Instants are ISO text with microseconds. */
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
  /** The price by which the costs were computed; null where the client sent them, or where there are no costs. */
  readonly price_model_id: string | null;
  readonly model: ModelNames | null;
  /** Whether it is below a call that reports its usage, which then counts for both. */
  readonly within_call: boolean;
  /** The fields that a patch sent (`run-merge-rules.ts`). */
  readonly patched: number;
  /** The fields that the run sent itself, rather than taking them from its trace or from its arrival (`own`). */
  readonly own: number;
}

/** What a tree shows of a run: columns that are short and stand in the row itself, however large the run is. */
export const outlineColumnNames = [
  'run_id',
  'parent_run_id',
  'name',
  'run_type',
  'start_time',
  'end_time',
  'is_root',
  'has_error',
  'error_preview',
] as const satisfies readonly (keyof RunRow)[];
export type RunOutline = Pick<RunRow, (typeof outlineColumnNames)[number]>;

/** Bits of `RunRow.own`. */
export const own = { trace_id: 1, dotted_order: 2, session: 4, thread_id: 8, start_time: 16 } as const;

/** The place of a trace, and the values that its runs inherit. */
export interface TracePlace {
  readonly workspace_id: string;
  readonly trace_id: string;
  readonly tier: string;
  readonly week: string;
  /** The root's project and conversation; null until the root arrives. */
  readonly session_id: string | null;
  readonly thread_id: string | null;
  readonly run_count: number;
  /** Whether any of its runs has a counted amount. */
  readonly counts?: boolean;
  /** The deletion that it waits for; it is invisible from then on. */
  readonly deletion_id?: string | null;
  /** Whether it is not stored yet. */
  readonly is_new: boolean;
}

export const traceKeyOf = (trace: TraceKey): string => `${trace.workspace_id}/${trace.trace_id}`;

/** The totals of a trace's runs; costs as decimal text. */
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

/** The changes of a trace by a flush; `first_token_time` is the earliest of the written runs. */
export interface TraceChange extends TracePlace, TraceTotals {
  /** The number of new runs; `run_count` is the number before. */
  readonly new_runs: number;
}

/** A trace that turned out to be a part of another. */
export interface TraceMerge {
  readonly workspace_id: string;
  readonly from: string;
  readonly to: string;
}

/** The fields of a run that concern its place. */
export type PlacedRun = Pick<
  RunRow,
  'workspace_id' | 'run_id' | 'trace_id' | 'tier' | 'week' | 'dotted_order'
>;

/** Runs that use tokens themselves; others only report those of runs below them. */
export const modelCallTypes: readonly string[] = ['llm', 'embedding'];

/** The model that a run calls; null where it calls none, or names none. SQL: `calledModelSql`. */
export const calledModel = ({ run_type, model }: Pick<RunRow, 'run_type' | 'model'>): string | null =>
  modelCallTypes.includes(run_type ?? '')
    ? (modelNames.map((name) => model?.[name]).find((name) => name !== undefined) ?? null)
    : null;

const nothing: Usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/**
 * The usage of a run itself; a run that calls no model has only the cost that the client sent, since a search may
 * cost something.
 */
export function ownUsage(row: RunRow): Usage {
  return modelCallTypes.includes(row.run_type ?? '')
    ? usageIn(row)
    : { ...nothing, total_cost: row.total_cost ?? undefined };
}

/** The usage that counts in sums over runs: that of a call counts once, whatever the runs above and below it report. */
export function countedUsage(row: RunRow | undefined): Usage {
  return row === undefined || row.within_call ? nothing : ownUsage(row);
}

/** Whether any of its usage may count. */
export const saysUsage = (row: RunRow | undefined): boolean =>
  (row?.total_tokens ?? 0) > 0 || Number(row?.total_cost ?? 0) > 0;

/** Whether it counts for all that is below it. */
export const isOuterCall = (row: RunRow): boolean => row.run_type === 'llm' && saysUsage(row);

/** All tokens and costs of a row. */
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

/** A missing run above an existing one. */
export interface Gap {
  readonly workspace_id: string;
  readonly trace_id: string;
  readonly missing_id: string;
}
