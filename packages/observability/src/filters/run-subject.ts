import { secondsBetween } from '../values/instant-rules.ts';
import { calledModel, ownUsage, type RunRow, type TraceTotals } from '../records/run-row.ts';
import type { SearchEntry } from '../search/search-entry.ts';
import { termOf } from '../search/term-rules.ts';
import type { Pair, Subject } from './filter-evaluator.ts';
import type { Scalar } from './filter-tree.ts';

/** A run as filters in memory see it. */
export interface FilteredRun {
  readonly row: RunRow;
  readonly entry: SearchEntry;
  /** The totals of the whole trace, for roots. */
  readonly totals: TraceTotals | undefined;
  /** Its place among the runs of its trace, from 1. */
  readonly execution_order: number;
  readonly feedback: readonly FeedbackSides[];
}

export interface FeedbackSides {
  readonly key: string;
  readonly score: number | null;
  /** The value as text, where it is not text already. */
  readonly value: string | null;
  readonly source: string | null;
  readonly comment: string | null;
}

export function runSubject({ row, entry, totals, execution_order, feedback }: FilteredRun): Subject {
  const usage = row.is_root && totals !== undefined ? totals : ownUsage(row);
  const cost = (text: string | null | undefined) =>
    text === null || text === undefined ? null : Number(text);
  const columns: Readonly<Record<string, Scalar>> = {
    id: row.run_id,
    trace_id: row.trace_id,
    parent_run_id: row.parent_run_id,
    session_id: row.session_id,
    reference_example: row.reference_example_id,
    name: row.name ?? '',
    run_type: row.run_type ?? 'chain',
    model: calledModel(row),
    status: row.has_error ? 'error' : row.end_time === null ? 'pending' : 'success',
    error: row.has_error ? row.error_preview : null,
    thread_id: row.thread_id,
    dotted_order: row.dotted_order,
    trace_tier: row.tier,
    is_root: row.is_root,
    start_time: row.start_time,
    end_time: row.end_time,
    first_token_time: totals?.first_token_time ?? row.first_token_time,
    latency: row.end_time === null ? null : secondsBetween(row.start_time, row.end_time),
    execution_order,
    total_tokens: usage.total_tokens,
    prompt_tokens: usage.prompt_tokens,
    completion_tokens: usage.completion_tokens,
    total_cost: cost(usage.total_cost),
    prompt_cost: cost(usage.prompt_cost),
    completion_cost: cost(usage.completion_cost),
  };
  const entries = { metadata: entry.metadata, input: entry.io.inputs, output: entry.io.outputs };
  const terms = new Set(entry.terms);
  return {
    column: (name) => columns[name] ?? null,
    tags: row.tags ?? [],
    pairs: (family): readonly Pair[] =>
      family === 'feedback'
        ? feedback
        : Object.entries(entries[family]).flatMap(([key, value]) =>
            [value].flat().map((one) => ({ key, value: one })),
          ),
    hasKey: (family, key) => family !== 'feedback' && terms.has(termOf(`${family}_key`, key)),
    hasWords: (words, field) => entry.words.has(words, field),
  };
}
