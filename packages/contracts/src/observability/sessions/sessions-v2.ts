import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { filterBy, queryFlag, queryInt, queryList, Uuid } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { InstantText } from '../instant-text.ts';
import { v1, v2 } from '../mounts.ts';
import { TracerSession, TracerSessionCreate, TracerSessionUpdate } from './sessions.ts';

/** Tracing projects as the second generation of the API lists them. */

const sessionTypes = ['PROJECT', 'AGENT', 'EXPERIMENT'] as const;

const Tier = z.enum(['LONG_LIVED', 'SHORT_LIVED']);

const FeedbackStat = z.object({
  avg: z.number().nullable(),
  contains_thread_feedback: z.boolean(),
  errors: z.number(),
  max: z.number().nullable(),
  median: z.number().nullable(),
  min: z.number().nullable(),
  n: z.number(),
  stdev: z.number().nullable(),
  type: z.enum(['PRIMARY', 'COMPOSITE']),
  values: z.record(z.string(), z.number()),
});
const FeedbackStats = z.record(z.string(), FeedbackStat).nullish();

export const SessionV2 = TracerSession.extend({
  type: z.enum(sessionTypes),
  trace_tier: Tier.nullish(),
  feedback_stats: FeedbackStats,
  session_feedback_stats: FeedbackStats,
}).meta({ id: 'SessionV2' });
export type SessionV2 = z.output<typeof SessionV2>;

const params = z.object({ session_id: Uuid });

export const sessionsV2 = {
  listSessionsV2: endpoint({
    ...v2,
    method: 'GET',
    path: '/v2/sessions',
    summary: 'List tracing projects and experiments page by page',
    access: 'traces:read',
    query: z.object({
      id: filterBy(queryList(Uuid)),
      type: filterBy(queryList(z.enum(sessionTypes))),
      name: WellFormedText.optional(),
      name_contains: WellFormedText.optional(),
      reference_dataset_id: filterBy(queryList(Uuid)),
      dataset_version: WellFormedText.optional(),
      metadata: WellFormedText.optional(),
      filter: WellFormedText.optional(),
      include_stats: queryFlag.default(false),
      include_facets: queryFlag.default(false),
      stats_start_time: InstantText.optional(),
      /** A filter of the root runs that statistics count. */
      stats_filter: WellFormedText.optional(),
      /** Only these statistics; the others are null. */
      stats_select: filterBy(queryList(WellFormedText)),
      /** Nothing is tagged here, so a filter by a tag finds nothing. */
      tag_value_id: filterBy(queryList(Uuid)),
      sort_by: z
        .enum([
          'NAME',
          'START_TIME',
          'LAST_RUN_START_TIME',
          'ERROR_RATE',
          'LATENCY_P50',
          'LATENCY_P99',
          'FEEDBACK',
        ])
        .default('START_TIME'),
      sort_order: z.enum(['asc', 'desc']).default('desc'),
      sort_by_feedback_key: WellFormedText.optional(),
      sort_by_feedback_source: z.enum(['RUN', 'SESSION']).default('RUN'),
      page_size: queryInt({ min: 1, max: 100, fallback: 20 }),
      cursor: WellFormedText.optional(),
    }),
    success: {
      status: 200,
      body: z.object({
        items: z.array(SessionV2),
        next_cursor: z.string().nullable(),
        has_more: z.boolean(),
      }),
    },
    example: { query: { type: 'PROJECT', include_stats: 'true', page_size: '20' } },
  }),
  createSessionV2: endpoint({
    ...v2,
    method: 'POST',
    path: '/v2/sessions',
    summary: 'Create a tracing project or an experiment; a taken name is 409, with `upsert` that of the name',
    access: 'traces:admin',
    errors: [409],
    query: z.object({ upsert: queryFlag.default(false) }),
    body: TracerSessionCreate.extend({
      /** `AGENT` is the project of an agent's environment; these projects are made with their agent. */
      type: z.enum(sessionTypes),
      trace_tier: Tier.nullish(),
    }).meta({ id: 'SessionCreateV2' }),
    success: { status: 200, body: SessionV2 },
    example: { query: { upsert: 'true' }, body: { type: 'PROJECT', name: 'support-agent' } },
  }),
  readSessionV2: endpoint({
    ...v2,
    method: 'GET',
    path: '/v2/sessions/{session_id}',
    summary: 'Read a tracing project or an experiment',
    access: 'traces:read',
    params,
    query: z.object({ include_stats: queryFlag.default(false), stats_start_time: InstantText.optional() }),
    success: { status: 200, body: SessionV2 },
    example: { query: { include_stats: 'true' } },
  }),
  patchSessionV2: endpoint({
    ...v2,
    method: 'PATCH',
    path: '/v2/sessions/{session_id}',
    summary: 'Change a tracing project; absent means unchanged, null takes away, also a key of `extra`',
    access: 'traces:admin',
    errors: [409],
    params,
    body: TracerSessionUpdate.extend({ trace_tier: Tier.nullish() }).meta({ id: 'SessionUpdateV2' }),
    success: { status: 200, body: SessionV2 },
    example: { body: { description: 'Answers customers, and colleagues' } },
  }),
  resolveSession: endpoint({
    ...v1,
    method: 'GET',
    path: '/sessions/resolutions',
    summary: 'Find the tracing project that an address names: of an agent, an experiment or the evaluators',
    access: 'traces:read',
    errors: [404],
    query: z.object({
      kind: WellFormedText.transform((kind) => kind.toUpperCase()).pipe(
        z.enum(['AGENT', 'EXPERIMENT', 'EVALUATOR']),
      ),
      id: WellFormedText.optional(),
      environment: WellFormedText.transform((name) => name.toUpperCase())
        .pipe(z.enum(['LOCAL', 'DEVELOPMENT', 'STAGING', 'PRODUCTION']))
        .optional(),
    }),
    success: { status: 200, body: z.object({ session_id: z.string() }) },
    example: { query: { kind: 'EVALUATOR' } },
  }),
};
