import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { Uuid } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { v1 } from '../mounts.ts';
import { TracerSession } from '../sessions/sessions.ts';
import { Free, EXPERIMENT, ExampleWithRuns } from './experiments.ts';

const text = WellFormedText.nullish();
const params = z.object({ dataset_id: Uuid });

const filters = z.record(WellFormedText, z.array(WellFormedText).max(20)).nullish();

const GroupQuery = z
  .object({
    session_ids: z.array(Uuid).min(1).max(100),
    group_by: z.enum(['run_metadata', 'example_metadata']),
    metadata_key: WellFormedText.min(1),
    per_group_limit: z.number().int().min(1).max(10).nullish(),
    offset: z.number().int().min(0).nullish(),
    limit: z.number().int().min(1).max(100).nullish(),
    preview: z.boolean().nullish(),
    filters,
  })
  .meta({ id: 'GroupedExamplesQuery' });

const sums = {
  count: z.number(),
  total_tokens: z.number(),
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  total_cost: z.number().nullable(),
  prompt_cost: z.number().nullable(),
  completion_cost: z.number().nullable(),
  latency_p50: z.number().nullable(),
  latency_p99: z.number().nullable(),
  error_rate: z.number().nullable(),
  min_start_time: z.string().nullable(),
  max_start_time: z.string().nullable(),
  feedback_stats: Free.nullable(),
};

const ExampleGroup = z
  .object({
    group_key: z.string(),
    filter: z.string(),
    example_count: z.number(),
    ...sums,
    sessions: z.array(z.looseObject({ id: z.string(), filter: z.string(), example_count: z.number() })),
    examples: z.array(ExampleWithRuns),
  })
  .meta({ id: 'ExampleGroup' });

const GroupedExperimentsQuery = z
  .object({
    metadata_keys: z.array(WellFormedText.min(1)).min(1).max(4),
    stats_start_time: text,
    name_contains: text,
    dataset_version: text,
    filter: text,
    experiment_limit: z.number().int().min(1).max(1000).nullish(),
  })
  .meta({ id: 'GroupedExperimentsQuery' });

const ExperimentGroup = z
  .object({
    /** The values of the metadata keys, in their order; null where an experiment has none. */
    group: z.array(z.object({ key: z.string(), value: z.string().nullable() })),
    filter: z.string(),
    experiment_count: z.number(),
    run_count: z.number(),
    total_tokens: z.number(),
    total_cost: z.number().nullable(),
    error_rate: z.number().nullable(),
    latency_p50: z.number().nullable(),
    latency_p99: z.number().nullable(),
    min_start_time: z.string(),
    max_start_time: z.string(),
    feedback_stats: Free.nullable(),
    sessions: z.array(TracerSession),
  })
  .meta({ id: 'ExperimentGroup' });

export const experimentGroups = {
  groupExperimentRuns: endpoint({
    ...v1,
    method: 'POST',
    path: '/datasets/{dataset_id}/group/runs',
    summary: 'Group experiments’ examples and runs by metadata',
    access: 'datasets:read',
    errors: [404],
    params,
    body: GroupQuery,
    success: { status: 200, body: z.object({ groups: z.array(ExampleGroup) }) },
    example: { body: { session_ids: [EXPERIMENT], group_by: 'example_metadata', metadata_key: 'topic' } },
  }),
  groupExperiments: endpoint({
    ...v1,
    method: 'POST',
    path: '/datasets/{dataset_id}/experiments/grouped',
    summary: 'Group the experiments of a dataset by their metadata',
    access: 'datasets:read',
    errors: [404],
    params,
    body: GroupedExperimentsQuery,
    success: { status: 200, body: z.object({ groups: z.array(ExperimentGroup) }) },
    example: { body: { metadata_keys: ['model'] } },
  }),
};
