import { conditionOf } from '../filters/filter-conditions.ts';
import type { Subject } from '../filters/filter-evaluator.ts';
import { parseFilter } from '../filters/filter-parser.ts';
import type { Fields } from '../filters/filter-tree.ts';
import { runFields } from '../filters/run-fields.ts';
import type { FeedbackStats } from '../records/feedback-row.ts';
import { addedDetails } from '../records/amount-rules.ts';
import { costNumber } from '../reading/run-answer-rules.ts';
import type { RunConditions } from '../queries/run-query-rules.ts';
import type { ThreadSummary, ThreadTotals } from './thread-summary.ts';

/** Threads as v2 of the API asks for them and answers them. */

export interface ThreadFilters {
  readonly filter?: string | null | undefined;
  readonly trace_filter?: string | null | undefined;
  readonly tree_filter?: string | null | undefined;
  readonly thread_filter?: string | null | undefined;
}

/** @throws Problem `invalid` that names the faulty place of a filter. */
export function turnQuestionsOf(filters: ThreadFilters): RunConditions[] {
  // A turn is the root of its trace.
  const asked = [
    ['filter', 'run'],
    ['trace_filter', 'run'],
    ['tree_filter', 'tree'],
  ] as const;
  return asked.flatMap(([parameter, of]) => {
    const text = filters[parameter];
    if (text == null || text.trim() === '') return [];
    const condition = conditionOf(parseFilter(text, { parameter, fields: runFields }));
    return [{ [of]: condition, parsed_query: null }];
  });
}

/** The fields of `thread_filter`: the totals of a thread's turns. */
const threadFields: Fields = {
  thread_id: { type: 'text' },
  turns: { type: 'number' },
  count: { type: 'number', name: 'turns' },
  trace_count: { type: 'number', name: 'turns' },
  num_errored_turns: { type: 'number' },
  total_tokens: { type: 'number' },
  prompt_tokens: { type: 'number' },
  completion_tokens: { type: 'number' },
  total_cost: { type: 'number' },
  prompt_cost: { type: 'number' },
  completion_cost: { type: 'number' },
  latency_p50: { type: 'duration' },
  latency_p99: { type: 'duration' },
  min_start_time: { type: 'instant' },
  first_start_time: { type: 'instant', name: 'min_start_time' },
  max_start_time: { type: 'instant' },
  last_start_time: { type: 'instant', name: 'max_start_time' },
  start_time: { type: 'instant', name: 'max_start_time' },
  end_time: { type: 'instant' },
  last_end_time: { type: 'instant', name: 'end_time' },
  first_inputs: { type: 'text' },
  last_outputs: { type: 'text' },
  last_error: { type: 'text' },
  feedback_key: { type: 'text', family: 'feedback', part: 'key' },
  feedback_score: { type: 'number', family: 'feedback', part: 'score' },
};

export function threadConditionOf({ thread_filter: text }: ThreadFilters) {
  if (text == null || text.trim() === '') return undefined;
  return conditionOf(parseFilter(text, { parameter: 'thread_filter', fields: threadFields }));
}

export interface SummedThread {
  readonly thread_id: string;
  readonly summary: ThreadSummary;
  readonly feedback: FeedbackStats;
}

/** A thread as `thread_filter` sees it. */
export function threadSubject({ thread_id, summary, feedback }: SummedThread): Subject {
  const columns: Readonly<Record<string, string | number | null>> = {
    thread_id,
    turns: summary.turns,
    num_errored_turns: summary.errors,
    total_tokens: Number(summary.total_tokens),
    prompt_tokens: Number(summary.prompt_tokens),
    completion_tokens: Number(summary.completion_tokens),
    total_cost: costNumber(summary.total_cost),
    prompt_cost: costNumber(summary.prompt_cost),
    completion_cost: costNumber(summary.completion_cost),
    latency_p50: summary.latency_p50,
    latency_p99: summary.latency_p99,
    min_start_time: summary.first_start_time,
    max_start_time: summary.last_start_time,
    end_time: summary.last_end_time,
    first_inputs: summary.first_inputs,
    last_outputs: summary.last_outputs,
    last_error: summary.last_error,
  };
  return {
    column: (name) => columns[name] ?? null,
    tags: [],
    pairs: () => Object.entries(feedback).map(([key, { avg }]) => ({ key, score: avg })),
    hasKey: () => false,
    hasWords: () => false,
  };
}

export function threadAnswer({ thread_id, summary, feedback }: SummedThread) {
  return {
    thread_id,
    count: summary.turns,
    num_errored_turns: summary.errors,
    start_time: summary.last_start_time,
    min_start_time: summary.first_start_time,
    max_start_time: summary.last_start_time,
    latency_p50: summary.latency_p50,
    latency_p99: summary.latency_p99,
    trace_id: summary.last_trace_id,
    first_trace_id: summary.first_trace_id,
    last_trace_id: summary.last_trace_id,
    first_inputs: summary.first_inputs,
    last_outputs: summary.last_outputs,
    last_error: summary.last_error,
    total_tokens: Number(summary.total_tokens),
    total_cost: costNumber(summary.total_cost),
    total_token_details: addedDetails(summary.prompt_token_details, summary.completion_token_details),
    total_cost_details: addedDetails(summary.prompt_cost_details, summary.completion_cost_details),
    feedback_stats: feedback,
  };
}

type FieldTable<T> = Readonly<Record<string, (of: T) => readonly [name: string, value: unknown]>>;

const sums: FieldTable<ThreadSummary | ThreadTotals> = {
  PROMPT_TOKENS: (one) => ['prompt_tokens', Number(one.prompt_tokens)],
  COMPLETION_TOKENS: (one) => ['completion_tokens', Number(one.completion_tokens)],
  TOTAL_TOKENS: (one) => ['total_tokens', Number(one.total_tokens)],
  PROMPT_COST: (one) => ['prompt_cost', costNumber(one.prompt_cost)],
  COMPLETION_COST: (one) => ['completion_cost', costNumber(one.completion_cost)],
  TOTAL_COST: (one) => ['total_cost', costNumber(one.total_cost)],
  LATENCY_P50: (one) => ['latency_p50_seconds', one.latency_p50],
  LATENCY_P99: (one) => ['latency_p99_seconds', one.latency_p99],
};

const ofThread: FieldTable<SummedThread> = {
  ...Object.fromEntries(
    Object.entries(sums).map(([select, read]) => [select, ({ summary }: SummedThread) => read(summary)]),
  ),
  TURNS: ({ summary }) => ['turns', summary.turns],
  FIRST_START_TIME: ({ summary }) => ['first_start_time', summary.first_start_time],
  LAST_START_TIME: ({ summary }) => ['last_start_time', summary.last_start_time],
  LAST_END_TIME: ({ summary }) => ['last_end_time', summary.last_end_time],
  PROMPT_TOKEN_DETAILS: ({ summary }) => ['prompt_token_details', { raw: summary.prompt_token_details }],
  COMPLETION_TOKEN_DETAILS: ({ summary }) => [
    'completion_token_details',
    { raw: summary.completion_token_details },
  ],
  PROMPT_COST_DETAILS: ({ summary }) => ['prompt_cost_details', { raw: summary.prompt_cost_details }],
  COMPLETION_COST_DETAILS: ({ summary }) => [
    'completion_cost_details',
    { raw: summary.completion_cost_details },
  ],
  FEEDBACK_STATS: ({ feedback }) => ['feedback_stats', feedback],
};

const rateOf = (some: number, all: number) => (all === 0 ? null : some / all);

const ofThreads: FieldTable<ThreadTotals> = {
  ...sums,
  THREAD_COUNT: (all) => ['thread_count', all.threads],
  TRACE_COUNT: (all) => ['trace_count', all.turns],
  ERROR_RATE: (all) => ['error_rate', rateOf(all.errors, all.turns)],
  STREAMING_RATE: (all) => ['streaming_rate', rateOf(all.streamed, all.finished)],
  MEDIAN_TOKENS: (all) => [
    'median_tokens',
    all.median_tokens === null ? null : Math.round(all.median_tokens),
  ],
  FIRST_TOKEN_P50: (all) => ['first_token_p50_seconds', all.first_token_p50],
  FIRST_TOKEN_P99: (all) => ['first_token_p99_seconds', all.first_token_p99],
  PROMPT_TOKEN_DETAILS: (all) => ['prompt_token_details', all.prompt_token_details],
  COMPLETION_TOKEN_DETAILS: (all) => ['completion_token_details', all.completion_token_details],
  PROMPT_COST_DETAILS: (all) => ['prompt_cost_details', all.prompt_cost_details],
  COMPLETION_COST_DETAILS: (all) => ['completion_cost_details', all.completion_cost_details],
  // Feedback is on runs and projects here; threads themselves have none.
  THREAD_FEEDBACK_STATS: () => ['thread_feedback_stats', {}],
};

const told = <T>(table: FieldTable<T>, selects: readonly string[], of: T) =>
  Object.fromEntries(selects.flatMap((select) => (table[select] === undefined ? [] : [table[select](of)])));

export const threadStatsAnswer = (selects: readonly string[], thread: SummedThread) =>
  told(ofThread, selects, thread);
export const threadTotalsAnswer = (selects: readonly string[], totals: ThreadTotals) =>
  told(ofThreads, selects, totals);
