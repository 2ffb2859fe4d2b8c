import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { filterBy, queryInt, queryList, Uuid } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { InstantText } from '../instant-text.ts';
import { v1, v2 } from '../mounts.ts';
import { Details, pageBody, pageOf, semanticBody } from './runs-v2.ts';

/** Threads: the root runs of a project that name the same conversation. */

const text = z.string().nullish();
const number = z.number().nullish();
const Sums = z.record(z.string(), z.number()).nullish();
const Feedback = z.record(z.string(), z.unknown()).nullish();
const read = { access: 'traces:read' } as const;
const thread = z.object({ thread_id: WellFormedText.max(1000) });
const project_id = '0199d3a0-0000-7000-8000-00000000000b';

const detailsAs = <Map extends z.ZodType>(map: Map) => ({
  prompt_token_details: map,
  completion_token_details: map,
  prompt_cost_details: map,
  completion_cost_details: map,
});

/** One turn of a thread: a root run. */
const ThreadTrace = z
  .object({
    trace_id: z.string(),
    thread_id: z.string(),
    name: z.string(),
    /** The run's type, as its number among all types. */
    op: z.number(),
    /** The turn's number, from 1. */
    turn_number: number,
    start_time: z.string(),
    end_time: text,
    latency: number,
    inputs: z.unknown(),
    outputs: z.unknown(),
    error: text,
    inputs_preview: text,
    outputs_preview: text,
    error_preview: text,
    prompt_tokens: z.number(),
    completion_tokens: z.number(),
    total_tokens: z.number(),
    prompt_cost: number,
    completion_cost: number,
    total_cost: number,
    ...detailsAs(Details),
    first_token_time: text,
  })
  .partial()
  .required({ trace_id: true })
  .meta({ id: 'ThreadTrace' });

const Thread = z
  .object({
    thread_id: z.string(),
    count: z.number(),
    num_errored_turns: z.number(),
    start_time: text,
    min_start_time: text,
    max_start_time: text,
    latency_p50: number,
    latency_p99: number,
    trace_id: text,
    first_trace_id: text,
    last_trace_id: text,
    first_inputs: text,
    last_outputs: text,
    last_error: text,
    total_tokens: z.number(),
    total_cost: number,
    total_token_details: Sums,
    total_cost_details: Sums,
    feedback_stats: Feedback,
  })
  .meta({ id: 'Thread' });

const summed = {
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  total_tokens: z.number(),
  prompt_cost: number,
  completion_cost: number,
  total_cost: number,
  latency_p50_seconds: number,
  latency_p99_seconds: number,
};
const summedSelects = [
  'LATENCY_P50',
  'LATENCY_P99',
  'PROMPT_TOKENS',
  'PROMPT_COST',
  'COMPLETION_TOKENS',
  'COMPLETION_COST',
  'TOTAL_TOKENS',
  'TOTAL_COST',
  'PROMPT_TOKEN_DETAILS',
  'COMPLETION_TOKEN_DETAILS',
  'PROMPT_COST_DETAILS',
  'COMPLETION_COST_DETAILS',
] as const;

const ThreadStats = z
  .object({
    ...summed,
    turns: z.number(),
    first_start_time: text,
    last_start_time: text,
    last_end_time: text,
    ...detailsAs(Details),
    feedback_stats: Feedback,
  })
  .partial()
  .meta({ id: 'ThreadStats' });
const ThreadStatsSelect = z.enum([
  ...summedSelects,
  'TURNS',
  'FIRST_START_TIME',
  'LAST_START_TIME',
  'LAST_END_TIME',
  'FEEDBACK_STATS',
]);

const ThreadTotals = z
  .object({
    ...summed,
    thread_count: z.number(),
    trace_count: z.number(),
    error_rate: number,
    streaming_rate: number,
    median_tokens: number,
    first_token_p50_seconds: number,
    first_token_p99_seconds: number,
    ...detailsAs(Sums),
    thread_feedback_stats: Feedback,
  })
  .partial()
  .meta({ id: 'ThreadTotals' });
const ThreadTotalsSelect = z.enum([
  ...summedSelects,
  'THREAD_COUNT',
  'TRACE_COUNT',
  'ERROR_RATE',
  'STREAMING_RATE',
  'MEDIAN_TOKENS',
  'FIRST_TOKEN_P50',
  'FIRST_TOKEN_P99',
  'THREAD_FEEDBACK_STATS',
]);

const filters = {
  /** A filter of root runs: a thread is found when one of its turns passes. */
  filter: WellFormedText.nullish(),
  trace_filter: WellFormedText.nullish(),
  tree_filter: WellFormedText.nullish(),
  /** A filter of the totals of the turns: `gt(count, 3)`. */
  thread_filter: WellFormedText.nullish(),
};

/** The forms in which messages of a thread are shown. */
export const threadPreviews = ['all_messages', 'human_ai_pairs', 'first_human_last_ai'] as const;

export const threads = {
  listThreadTraces: endpoint({
    ...v2,
    ...read,
    method: 'GET',
    path: '/v2/threads/{thread_id}/traces',
    summary: 'The turns of a thread, oldest first',
    params: thread,
    query: z.object({
      project_id: Uuid,
      /** UPPER_SNAKE names of the wanted fields; only `trace_id` by default. */
      selects: filterBy(queryList(WellFormedText)),
      filter: WellFormedText.optional(),
      trace_filter: WellFormedText.optional(),
      tree_filter: WellFormedText.optional(),
      page_size: queryInt({ min: 1, max: 100, fallback: 20 }),
      cursor: WellFormedText.optional(),
    }),
    success: { status: 200, body: pageOf(ThreadTrace) },
    example: { query: { project_id, selects: ['NAME', 'START_TIME'], page_size: '20' } },
  }),
  queryThreads: endpoint({
    ...v2,
    ...read,
    method: 'POST',
    path: '/v2/threads/query',
    summary: 'Query threads, the most recently active first; of the last day unless said',
    errors: [404, 501],
    body: z.object({
      project_id: Uuid,
      ...filters,
      ...pageBody({ most: 100, fallback: 20 }),
      ...semanticBody,
    }),
    success: { status: 200, body: pageOf(Thread) },
    example: { body: { project_id, page_size: 20 } },
  }),
  readThreadStats: endpoint({
    ...v2,
    ...read,
    method: 'GET',
    path: '/v2/threads/{thread_id}/stats',
    summary: 'Sum up a thread',
    params: thread,
    query: z.object({
      session_id: Uuid,
      selects: queryList(ThreadStatsSelect).pipe(z.array(ThreadStatsSelect).min(1)),
      filter: WellFormedText.optional(),
    }),
    success: { status: 200, body: ThreadStats },
    example: { query: { session_id: project_id, selects: ['TURNS', 'LATENCY_P50'] } },
  }),
  readThreadTotals: endpoint({
    ...v2,
    ...read,
    method: 'POST',
    path: '/v2/threads/stats',
    summary: 'Sum up the threads of a project; of the last day unless said',
    errors: [404],
    body: z.object({
      project_id: Uuid,
      select: z.array(ThreadTotalsSelect).min(1),
      min_start_time: InstantText.nullish(),
      max_start_time: InstantText.nullish(),
      ...filters,
    }),
    success: { status: 200, body: ThreadTotals },
    example: { body: { project_id, select: ['THREAD_COUNT', 'TOTAL_TOKENS'] } },
  }),
  readThreadMessages: endpoint({
    ...v1,
    ...read,
    method: 'GET',
    path: '/runs/threads/{thread_id}',
    summary: 'Read the messages of a thread, as texts of JSON objects with empty lines between them',
    params: thread,
    query: z.object({
      session_id: Uuid,
      select: filterBy(queryList(z.enum(threadPreviews))).transform(
        (select) => select ?? ['all_messages' as const],
      ),
    }),
    success: {
      status: 200,
      body: z.object({ thread_id: z.string(), previews: z.record(z.string(), z.string()) }),
    },
    example: { query: { session_id: project_id, select: ['all_messages'] } },
  }),
};
