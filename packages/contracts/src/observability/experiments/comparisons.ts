import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { filterBy, queryFlag, queryInt, queryList, Uuid } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { v1 } from '../mounts.ts';

/** Comparisons of experiments, pair by pair; the wire calls them comparative experiments. */

const Free = z.record(z.string(), z.unknown());
const text = WellFormedText.nullish();

const Comparison = z
  .object({
    id: z.string(),
    tenant_id: z.string(),
    name: z.string().nullable(),
    description: z.string().nullable(),
    reference_dataset_id: z.string(),
    extra: Free.nullable(),
    created_at: z.string(),
    modified_at: z.string(),
    experiments_info: z.array(z.object({ id: z.string(), name: z.string() })),
    feedback_stats: Free.nullable(),
  })
  .meta({ id: 'ComparativeExperiment' });

const SharedComparison = Comparison.omit({ tenant_id: true, reference_dataset_id: true }).meta({
  id: 'SharedComparativeExperiment',
});

const ComparisonCreate = z
  .object({
    id: Uuid.nullish(),
    experiment_ids: z.array(Uuid).min(1).max(100),
    name: text,
    description: text,
    created_at: text,
    modified_at: text,
    reference_dataset_id: Uuid.nullish(),
    extra: Free.nullish(),
  })
  .meta({ id: 'ComparativeExperimentCreate' });

const page = {
  name: WellFormedText.optional(),
  name_contains: WellFormedText.optional(),
  sort_by: z.enum(['name', 'created_at']).default('created_at'),
  sort_by_desc: queryFlag.default(true),
  offset: queryInt({ fallback: 0 }),
  limit: queryInt({ min: 1, max: 100, fallback: 100 }),
};

export const comparisons = {
  createComparativeExperiment: endpoint({
    ...v1,
    method: 'POST',
    path: '/datasets/comparative',
    summary: 'Create a comparison of experiments',
    access: 'datasets:write',
    errors: [404, 409],
    body: ComparisonCreate,
    success: { status: 200, body: Comparison },
    example: {
      body: { name: 'short against long answers', experiment_ids: ['0199d3a0-0000-7000-8000-0000000000f1'] },
    },
  }),
  listComparativeExperiments: endpoint({
    ...v1,
    method: 'GET',
    path: '/datasets/{dataset_id}/comparative',
    summary: 'List the comparisons of a dataset’s experiments',
    access: 'datasets:read',
    params: z.object({ dataset_id: Uuid }),
    query: z.object({ id: filterBy(queryList(Uuid)), ...page }),
    success: { status: 200, body: z.array(Comparison) },
    example: { query: { name_contains: 'answers' } },
  }),
  deleteComparativeExperiment: endpoint({
    ...v1,
    method: 'DELETE',
    path: '/datasets/comparative/{comparative_experiment_id}',
    summary: 'Delete a comparison of experiments',
    access: 'datasets:admin',
    params: z.object({ comparative_experiment_id: Uuid }),
    success: { status: 200, body: z.object({ message: z.string() }) },
  }),
  listSharedComparativeExperiments: endpoint({
    ...v1,
    method: 'GET',
    path: '/public/{share_token}/datasets/comparative',
    summary: 'List the comparisons of a shared dataset',
    auth: 'token',
    params: z.object({ share_token: WellFormedText }),
    query: z.object(page),
    success: { status: 200, body: z.array(SharedComparison) },
    example: { query: { limit: '20' } },
  }),
};
