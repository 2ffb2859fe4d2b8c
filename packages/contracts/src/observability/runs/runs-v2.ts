import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { filterBy, queryList, Uuid } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { InstantText } from '../instant-text.ts';
import { v2 } from '../mounts.ts';
import { runTypes } from '../run-types.ts';

/** Runs and traces as the second generation of the API answers them: only what is selected. */

const Free = z.record(z.string(), z.unknown());
const text = z.string().nullish();
const number = z.number().nullish();
/** Sums by category, `{raw: {cache_read: 12}}`. */
export const Details = z.object({ raw: z.record(z.string(), z.number()) }).nullish();

export const RunV2 = z
  .object({
    id: z.string(),
    app_path: text,
    attachments: z.record(z.string(), z.string()).nullish(),
    completion_cost: number,
    completion_cost_details: Details,
    completion_token_details: Details,
    completion_tokens: number,
    dotted_order: z.string(),
    end_time: text,
    error: text,
    error_preview: text,
    events: z.unknown(),
    extra: z.unknown(),
    feedback_stats: Free.nullish(),
    first_token_time: text,
    inputs: z.unknown(),
    inputs_preview: text,
    is_in_dataset: z.boolean().nullish(),
    is_root: z.boolean(),
    last_queued_at: text,
    latency_seconds: number,
    ls_user_id: text,
    manifest: z.unknown(),
    metadata: z.unknown(),
    name: z.string(),
    outputs: z.unknown(),
    outputs_preview: text,
    parent_run_id: text,
    parent_run_ids: z.array(z.string()),
    price_model_id: text,
    project_id: z.string(),
    prompt_cost: number,
    prompt_cost_details: Details,
    prompt_token_details: Details,
    prompt_tokens: number,
    reference_dataset_id: text,
    reference_example_id: text,
    run_type: z.string(),
    share_url: text,
    start_time: z.string(),
    status: z.enum(['SUCCESS', 'ERROR', 'PENDING']),
    tags: z.array(z.string()).nullish(),
    thread_evaluation_time: text,
    thread_id: text,
    total_cost: number,
    total_tokens: number,
    trace_id: z.string(),
  })
  .partial()
  .meta({ id: 'RunV2' });
export type RunV2 = z.output<typeof RunV2>;

const fieldNames = Object.keys(RunV2.shape) as (keyof RunV2)[];
export type RunV2Field = (typeof fieldNames)[number];
/** The same in capitals, as in `selects`. */
export const RunSelect = z
  .enum(fieldNames.map((name) => name.toUpperCase()) as [string, ...string[]])
  .meta({ id: 'RunSelect' });
const RunTypeV2 = z.enum(runTypes.map((type) => type.toUpperCase()) as [string, ...string[]]);

/** The size and place of a page, and its range of time. */
export const pageBody = ({ most, fallback }: { readonly most: number; readonly fallback: number }) => ({
  page_size: z.number().int().min(1).max(most).default(fallback),
  cursor: WellFormedText.nullish(),
  /** The earliest start; a day ago by default. */
  min_start_time: InstantText.nullish(),
  max_start_time: InstantText.nullish(),
});

/** Questions in natural language; refused in words. */
export const semanticBody = {
  ai_query: WellFormedText.nullish(),
  ai_search: WellFormedText.nullish(),
  sem_filter: WellFormedText.nullish(),
};

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), next_cursor: z.string().nullable(), has_more: z.boolean() });

export const RunQueryV2 = z
  .object({
    /** Either these or `reference_dataset_id`. */
    project_ids: filterBy(z.array(Uuid).max(1000).nullable()),
    /** The runs of this dataset's experiments. */
    reference_dataset_id: Uuid.nullish(),
    ids: filterBy(z.array(Uuid).max(1000).nullable()),
    trace_id: Uuid.nullish(),
    is_root: z.boolean().nullish(),
    run_type: RunTypeV2.nullish(),
    has_error: z.boolean().nullish(),
    filter: WellFormedText.nullish(),
    trace_filter: WellFormedText.nullish(),
    tree_filter: WellFormedText.nullish(),
    reference_examples: filterBy(z.array(Uuid).max(1000).nullable()),
    /** The fields to answer; only `id` by default. */
    selects: filterBy(z.array(RunSelect).nullable()),
    sort_order: z.enum(['asc', 'desc', 'ASC', 'DESC']).nullish(),
    ...pageBody({ most: 1000, fallback: 100 }),
    ...semanticBody,
  })
  .meta({ id: 'RunQueryV2' });
export type RunQueryV2 = z.output<typeof RunQueryV2>;

export const TraceQuery = z
  .object({
    project_id: Uuid,
    trace_ids: filterBy(z.array(Uuid).max(1000).nullable()),
    /** A filter of root runs. */
    trace_filter: WellFormedText.nullish(),
    tree_filter: WellFormedText.nullish(),
    selects: filterBy(z.array(RunSelect).nullable()),
    ...pageBody({ most: 100, fallback: 20 }),
    ...semanticBody,
  })
  .meta({ id: 'TraceQuery' });
export type TraceQuery = z.output<typeof TraceQuery>;

const Trace = z
  .object({
    root_run: RunV2,
    /** The totals of all its runs; absent unless selected. */
    trace_aggregates: z
      .object({ total_tokens: z.number(), total_cost: number, first_token_time: text })
      .partial()
      .optional(),
  })
  .meta({ id: 'Trace' });

const project_id = '0199d3a0-0000-7000-8000-00000000000b';
const read = { ...v2, access: 'traces:read' } as const;

export const runsV2 = {
  queryRunsV2: endpoint({
    ...read,
    method: 'POST',
    path: '/v2/runs/query',
    summary: 'Query runs; of the last day unless said, and as events where the client accepts them',
    errors: [404, 501],
    body: RunQueryV2,
    success: { status: 200, body: pageOf(RunV2) },
    example: { body: { project_ids: [project_id], is_root: true, selects: ['ID', 'NAME', 'STATUS'] } },
  }),
  readRunV2: endpoint({
    ...read,
    method: 'GET',
    path: '/v2/runs/{run_id}',
    summary: 'Read a run',
    params: z.object({ run_id: Uuid }),
    query: z.object({
      project_id: Uuid.optional(),
      /** Not needed. */
      start_time: WellFormedText.optional(),
      selects: filterBy(queryList(RunSelect)),
    }),
    success: { status: 200, body: RunV2 },
    example: { query: { project_id, selects: ['NAME', 'INPUTS'] } },
  }),
  readRunUrl: endpoint({
    ...read,
    method: 'GET',
    path: '/v2/runs/{run_id}/url',
    summary: 'Read the address of a run’s page',
    params: z.object({ run_id: Uuid }),
    query: z.object({
      project_id: Uuid.optional(),
      trace_id: Uuid.optional(),
      start_time: WellFormedText.optional(),
    }),
    success: { status: 200, body: z.object({ url: z.string() }) },
    example: { query: { project_id } },
  }),
  queryTraces: endpoint({
    ...read,
    method: 'POST',
    path: '/v2/traces/query',
    summary: 'Query traces by their root runs; of the last day unless said',
    errors: [404, 501],
    body: TraceQuery,
    success: { status: 200, body: pageOf(Trace) },
    example: { body: { project_id, selects: ['ID', 'NAME', 'TOTAL_TOKENS'], page_size: 20 } },
  }),
  listTraceRuns: endpoint({
    ...read,
    method: 'GET',
    path: '/v2/traces/{trace_id}/runs',
    summary: 'List the runs of a trace, oldest first',
    params: z.object({ trace_id: Uuid }),
    query: z.object({
      project_id: Uuid.optional(),
      min_start_time: InstantText.optional(),
      max_start_time: InstantText.optional(),
      filter: WellFormedText.optional(),
      selects: filterBy(queryList(RunSelect)),
    }),
    success: { status: 200, body: z.object({ items: z.array(RunV2) }) },
    example: { query: { project_id, selects: ['NAME', 'RUN_TYPE'] } },
  }),
};
