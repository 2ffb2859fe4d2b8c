import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { filterBy, queryFlag, queryInt, queryList, Uuid } from '../../values/query-values.ts';
import { InstantText } from '../instant-text.ts';
import { v1 } from '../mounts.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';

/** Tracing projects; the wire calls them sessions. */

const Free = z.record(z.string(), z.unknown());
const number = z.number().nullish();
const text = z.string().nullish();

export const TracerSession = z
  .object({
    id: z.string(),
    tenant_id: z.string(),
    name: z.string(),
    start_time: z.string(),
    end_time: text,
    description: text,
    extra: Free.nullish(),
    default_dataset_id: text,
    reference_dataset_id: text,
    trace_tier: text,
    run_count: number,
    latency_p50: number,
    latency_p99: number,
    first_token_p50: number,
    first_token_p99: number,
    total_tokens: number,
    prompt_tokens: number,
    completion_tokens: number,
    total_cost: number,
    prompt_cost: number,
    completion_cost: number,
    last_run_start_time: text,
    last_run_start_time_live: text,
    feedback_stats: Free.nullish(),
    session_feedback_stats: Free.nullish(),
    run_facets: z.array(Free).nullish(),
    error_rate: number,
    streaming_rate: number,
    /** The number of an experiment among those of its dataset, and its progress, as shares of what is expected. */
    test_run_number: number,
    kicked_off_by: text,
    experiment_progress: z
      .object({
        expected_run_count: z.number(),
        run_progress: z.number(),
        evaluator_progress: z.record(z.string(), z.number()),
      })
      .nullish(),
  })
  .meta({ id: 'TracerSession' });
export type TracerSession = z.output<typeof TracerSession>;

export const TracerSessionCreate = z
  .object({
    id: Uuid.nullish(),
    name: WellFormedText.min(1).max(500).nullish(),
    start_time: WellFormedText.nullish(),
    end_time: WellFormedText.nullish(),
    description: WellFormedText.max(20_000).nullish(),
    /** Data from programs: repaired where they cannot be stored. */
    extra: Free.nullish(),
    default_dataset_id: Uuid.nullish(),
    reference_dataset_id: Uuid.nullish(),
    trace_tier: z.enum(['longlived', 'shortlived']).nullish(),
    /** The expected number of examples of an experiment. */
    num_examples: z.number().int().min(0).max(1_000_000_000).nullish(),
    num_repetitions: z.number().int().min(0).max(1_000_000).nullish(),
    evaluator_keys: z.array(WellFormedText.max(180)).max(100).nullish(),
    /** Who began it. */
    kicked_off_by: WellFormedText.max(500).nullish(),
  })
  .meta({ id: 'TracerSessionCreate' });
export type TracerSessionCreate = z.output<typeof TracerSessionCreate>;

export const TracerSessionUpdate = TracerSessionCreate.omit({
  id: true,
  reference_dataset_id: true,
  start_time: true,
  num_examples: true,
  num_repetitions: true,
  evaluator_keys: true,
  kicked_off_by: true,
}).meta({ id: 'TracerSessionUpdate' });
export type TracerSessionUpdate = z.output<typeof TracerSessionUpdate>;

const params = z.object({ session_id: Uuid });
/** The runs that statistics count. */
const statsScope = {
  /** The earliest start of the runs that statistics count. */
  stats_start_time: InstantText.optional(),
};
const sortable = [
  'name',
  'start_time',
  'last_run_start_time',
  'latency_p50',
  'latency_p99',
  'error_rate',
  'feedback',
  'runs_count',
] as const;

export const sessions = {
  listSessions: endpoint({
    ...v1,
    method: 'GET',
    path: '/sessions',
    summary: 'List tracing projects',
    access: 'traces:read',
    query: z.object({
      id: filterBy(queryList(Uuid)),
      name: WellFormedText.optional(),
      name_contains: WellFormedText.optional(),
      reference_free: queryFlag.optional(),
      reference_dataset: filterBy(queryList(Uuid)),
      /** Experiments on this version: an instant, like `extra.metadata.dataset_version`. */
      dataset_version: WellFormedText.optional(),
      /** A JSON object that `extra.metadata` must contain. */
      metadata: WellFormedText.optional(),
      /** A filter over the project's own fields, its statistics, metadata and feedback. */
      filter: WellFormedText.optional(),
      include_stats: queryFlag.default(false),
      ...statsScope,
      /** Only these statistics; the others are null. */
      stats_select: filterBy(queryList(WellFormedText)),
      /** A filter of the root runs that statistics count. */
      stats_filter: WellFormedText.optional(),
      /** Nothing is tagged here, so a filter by a tag finds nothing. */
      tag_value_id: filterBy(queryList(Uuid)),
      facets: queryFlag.default(false),
      sort_by: z.enum(sortable).default('start_time'),
      sort_by_desc: queryFlag.default(true),
      sort_by_feedback_key: WellFormedText.optional(),
      sort_by_feedback_source: z.enum(['session', 'run']).default('run'),
      offset: queryInt({ fallback: 0 }),
      limit: queryInt({ min: 1, max: 100, fallback: 100 }),
    }),
    success: { status: 200, body: z.array(TracerSession) },
    example: { query: { name_contains: 'support', include_stats: 'true', limit: '20' } },
  }),
  createSession: endpoint({
    ...v1,
    method: 'POST',
    path: '/sessions',
    summary: 'Create a tracing project; a taken name is 409, with `upsert` the project of that name',
    access: 'traces:admin',
    errors: [409],
    query: z.object({ upsert: queryFlag.default(false) }),
    body: TracerSessionCreate,
    success: { status: 200, body: TracerSession },
    example: {
      query: { upsert: 'true' },
      body: { name: 'support-agent', description: 'Answers customers' },
    },
  }),
  readSession: endpoint({
    ...v1,
    method: 'GET',
    path: '/sessions/{session_id}',
    summary: 'Read a tracing project',
    access: 'traces:read',
    params,
    query: z.object({ include_stats: queryFlag.default(false), ...statsScope }),
    success: { status: 200, body: TracerSession },
    example: { query: { include_stats: 'true' } },
  }),
  patchSession: endpoint({
    ...v1,
    method: 'PATCH',
    path: '/sessions/{session_id}',
    summary: 'Change a tracing project; null means unchanged',
    access: 'traces:admin',
    errors: [409],
    params,
    body: TracerSessionUpdate,
    success: { status: 200, body: TracerSession },
    example: { body: { description: 'Answers customers, and colleagues' } },
  }),
  deleteSession: endpoint({
    ...v1,
    method: 'DELETE',
    path: '/sessions/{session_id}',
    summary: 'Delete a tracing project and its traces',
    access: 'traces:admin',
    params,
    success: { status: 202, body: z.object({ message: z.string() }) },
  }),
  deleteSessions: endpoint({
    ...v1,
    method: 'DELETE',
    path: '/sessions',
    summary: 'Delete several tracing projects with their traces, or none of them where one is missing',
    access: 'traces:admin',
    errors: [404],
    query: z.object({ session_ids: queryList(Uuid) }),
    success: { status: 202, body: z.object({ message: z.string() }) },
    example: { query: { session_ids: '0198f6a0-0000-7000-8000-000000000001' } },
  }),
  listSessionMetadata: endpoint({
    ...v1,
    method: 'GET',
    path: '/sessions/{session_id}/metadata',
    summary: 'List the most frequent metadata of a project’s newest runs, by key',
    access: 'traces:read',
    params,
    query: z.object({
      metadata_keys: filterBy(queryList(WellFormedText)),
      start_time: InstantText.optional(),
      /** The most values of a key. */
      k: queryInt({ min: 1, max: 100, fallback: 10 }),
      root_runs_only: queryFlag.default(false),
    }),
    success: { status: 200, body: z.record(z.string(), z.array(z.string())) },
    example: { query: { metadata_keys: 'customer', k: '5' } },
  }),
};
