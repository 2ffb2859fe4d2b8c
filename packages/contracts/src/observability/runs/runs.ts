import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { filterBy, queryFlag, Uuid } from '../../values/query-values.ts';
import { InstantText } from '../instant-text.ts';
import { v1, retiring } from '../mounts.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { runTypes } from '../run-types.ts';

const RunType = z.enum(runTypes);

const Free = z.record(z.string(), z.unknown());
const text = z.string().nullish();
const number = z.number().nullish();

/** A run as v1 answers it: every field, null where nothing is known, times in UTC without an offset. Payload fields are the bytes that were sent, so their inside has no schema. */
export const Run = z
  .object({
    id: z.string(),
    name: z.string(),
    run_type: z.string(),
    start_time: z.string(),
    end_time: text,
    status: z.enum(['success', 'error', 'pending']),
    error: text,
    extra: z.unknown(),
    serialized: z.unknown(),
    events: z.unknown(),
    inputs: z.unknown(),
    outputs: z.unknown(),
    inputs_preview: text,
    outputs_preview: text,
    tags: z.array(z.string()).nullish(),
    session_id: z.string(),
    trace_id: z.string(),
    dotted_order: z.string(),
    parent_run_id: text,
    parent_run_ids: z.array(z.string()),
    child_run_ids: z.array(z.string()).nullish(),
    direct_child_run_ids: z.array(z.string()).nullish(),
    thread_id: text,
    reference_example_id: text,
    app_path: text,
    first_token_time: text,
    prompt_tokens: z.number(),
    completion_tokens: z.number(),
    total_tokens: z.number(),
    prompt_cost: number,
    completion_cost: number,
    total_cost: number,
    prompt_token_details: Free.nullish(),
    completion_token_details: Free.nullish(),
    prompt_cost_details: Free.nullish(),
    completion_cost_details: Free.nullish(),
    feedback_stats: Free.nullish(),
    in_dataset: z.boolean().nullish(),
    trace_tier: text,
    execution_order: number,
    inputs_s3_urls: Free.nullish(),
    outputs_s3_urls: Free.nullish(),
    s3_urls: Free.nullish(),
    manifest_id: text,
    manifest_s3_id: text,
    messages: z.array(Free).nullish(),
    price_model_id: text,
    reference_dataset_id: text,
    share_token: text,
    trace_first_received_at: text,
    trace_min_start_time: text,
    trace_max_start_time: text,
    trace_upgrade: z.boolean(),
    ttl_seconds: number,
    last_queued_at: text,
  })
  .partial()
  .required({ id: true })
  .meta({ id: 'Run' });
export type Run = z.output<typeof Run>;

export const RunQuery = z
  .object({
    /** The ids of the wanted runs; other conditions are then ignored. */
    id: filterBy(z.array(Uuid).max(1000).nullable()),
    trace: Uuid.nullish(),
    parent_run: Uuid.nullish(),
    run_type: RunType.nullish(),
    session: filterBy(z.array(Uuid).nullable()),
    reference_example: filterBy(z.array(Uuid).nullable()),
    /** Roots only; other depths can be asked for in the filter language alone. */
    execution_order: z.number().int().min(1).max(1).nullish(),
    start_time: InstantText.nullish(),
    end_time: InstantText.nullish(),
    error: z.boolean().nullish(),
    is_root: z.boolean().nullish(),
    /**
     * A filter of the run itself, the root of its trace, or any run of its trace: expressions such as `eq(name,
     * "router")`.
     */
    filter: WellFormedText.nullish(),
    trace_filter: WellFormedText.nullish(),
    tree_filter: WellFormedText.nullish(),
    /** Another filter of the run itself. */
    search_filter: WellFormedText.nullish(),
    /** A question in natural language is refused. */
    query: WellFormedText.nullish(),
    data_source_type: WellFormedText.nullish(),
    skip_pagination: z.boolean().nullish(),
    skip_prev_cursor: z.boolean().nullish(),
    cursor: WellFormedText.nullish(),
    /** Above 100 it is refused with 400. */
    limit: z.number().int().min(1).nullish(),
    select: filterBy(z.array(WellFormedText).nullable()),
    order: z.enum(['asc', 'desc']).nullish(),
  })
  .meta({ id: 'RunQuery' });
export type RunQuery = z.output<typeof RunQuery>;

export const runs = {
  queryRuns: endpoint({
    ...retiring,
    ...v1,
    method: 'POST',
    path: '/runs/query',
    summary: 'Query runs; `cursors.next` is null on the last page',
    access: 'traces:read',
    errors: [404],
    body: RunQuery,
    success: {
      status: 200,
      body: z.object({
        runs: z.array(Run),
        cursors: z.object({ next: z.string().nullable(), prev: z.string().nullable() }),
        search_cursors: z.null(),
        /** `filter` as it was understood. */
        parsed_query: z.string().nullable(),
      }),
    },
    example: {
      body: { session: ['0199d3a0-0000-7000-8000-00000000000b'], is_root: true, error: false, limit: 20 },
    },
  }),
  readRun: endpoint({
    ...retiring,
    ...v1,
    method: 'GET',
    path: '/runs/{run_id}',
    summary: 'Read a run',
    access: 'traces:read',
    params: z.object({ run_id: Uuid }),
    query: z.object({
      session_id: Uuid.optional(),
      start_time: WellFormedText.optional(),
      exclude_s3_stored_attributes: queryFlag.optional(),
      exclude_serialized: queryFlag.optional(),
      include_messages: queryFlag.optional(),
    }),
    success: { status: 200, body: Run },
    example: { query: { exclude_serialized: 'true' } },
  }),
};
