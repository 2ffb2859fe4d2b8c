import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { filterBy, Uuid } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { v1, v2, retiring } from '../mounts.ts';
import { Run } from '../runs/runs.ts';

/**
 * The results of experiments on the examples of a dataset. An experiment is a project with a `reference_dataset_id`.
 */

export const Free = z.record(z.string(), z.unknown());
const text = WellFormedText.nullish();
const params = z.object({ dataset_id: Uuid });
const shared = { ...v1, auth: 'token' } as const;
const shareParams = z.object({ share_token: WellFormedText });
export const EXPERIMENT = '0199d3a0-0000-7000-8000-0000000000f1';

/** Expressions of the filter language by experiment; all of them must hold. */
const filters = z.record(WellFormedText, z.array(WellFormedText).max(20)).nullish();

const exampleFields = {
  id: z.string(),
  dataset_id: z.string(),
  name: z.string(),
  inputs: z.unknown(),
  outputs: z.unknown(),
  metadata: Free.nullable(),
  source_run_id: z.string().nullable(),
  attachment_urls: Free.nullable(),
  created_at: z.string(),
  modified_at: z.string().nullable(),
};

export const ExampleWithRuns = z
  .object({ ...exampleFields, runs: z.array(Run.extend({ feedbacks: z.array(Free) })) })
  .meta({ id: 'ExampleWithRuns' });

const ExperimentRunsItem = z
  .object({ ...exampleFields, runs: z.array(z.looseObject({ id: z.string() })) })
  .meta({ id: 'ExperimentRunsItem' });

const ExamplesWithRunsQuery = z
  .object({
    session_ids: z.array(Uuid).min(1).max(100),
    offset: z.number().int().min(0).nullish(),
    limit: z.number().int().min(1).max(1000).nullish(),
    /** Whether to show the beginnings of inputs and outputs of runs instead of all of them. */
    preview: z.boolean().nullish(),
    /** The comparison whose pairwise feedback is shown. */
    comparative_experiment_id: Uuid.nullish(),
    /** Whether to include the names of those who gave feedback. */
    include_annotator_detail: z.boolean().nullish(),
    sort_params: z
      .object({ sort_by: WellFormedText, sort_order: z.enum(['ASC', 'DESC']).nullish() })
      .nullish(),
    filters,
    example_ids: filterBy(z.array(Uuid).max(1000).nullable()),
  })
  .meta({ id: 'ExamplesWithRunsQuery' });

const FeedbackDeltaQuery = z
  .object({
    baseline_session_id: Uuid,
    comparison_session_ids: z.array(Uuid).min(1).max(100),
    feedback_key: WellFormedText,
    filters,
    offset: z.number().int().min(0).nullish(),
    limit: z.number().int().min(1).max(100).nullish(),
    comparative_experiment_id: Uuid.nullish(),
  })
  .meta({ id: 'FeedbackDeltaQuery' });

/** The differences of feedback, by experiment. */
const FeedbackDeltas = z
  .object({
    feedback_deltas: z.record(
      z.string(),
      z.object({ improved_examples: z.array(z.string()), regressed_examples: z.array(z.string()) }),
    ),
  })
  .meta({ id: 'FeedbackDeltas' });

const FeedbackSort = z.object({ by: text, order: z.enum(['ASC', 'DESC']).nullish() });

const withRuns = {
  method: 'POST',
  body: ExamplesWithRunsQuery,
  success: { status: 200, body: z.array(ExampleWithRuns) },
} as const;
const comparing = {
  body: FeedbackDeltaQuery,
  success: { status: 200, body: FeedbackDeltas } as const,
  example: {
    body: {
      baseline_session_id: EXPERIMENT,
      comparison_session_ids: [EXPERIMENT],
      feedback_key: 'correctness',
    },
  },
};

export const experiments = {
  listExamplesWithRuns: endpoint({
    ...retiring,
    ...v1,
    ...withRuns,
    path: '/datasets/{dataset_id}/runs',
    summary: 'List examples with their runs in experiments',
    access: 'datasets:read',
    errors: [404],
    params,
    query: z.object({ format: z.enum(['csv']).optional() }),
    example: { query: {}, body: { session_ids: [EXPERIMENT], limit: 20, preview: true } },
  }),
  listExperimentRuns: endpoint({
    ...v2,
    method: 'POST',
    path: '/v2/datasets/{dataset_id}/experiment-runs',
    summary: 'List the examples of a dataset with their runs in experiments',
    access: 'datasets:read',
    errors: [404],
    params,
    body: z
      .object({
        experiment_ids: z.array(Uuid).min(1).max(100),
        example_ids: filterBy(z.array(Uuid).max(1000).nullable()),
        filters,
        sort: FeedbackSort.nullish(),
        comparative_experiment_id: Uuid.nullish(),
        selects: filterBy(z.array(WellFormedText).nullable()),
        page_size: z.number().int().min(1).max(100).nullish(),
        cursor: text,
      })
      .meta({ id: 'ExperimentRunsQuery' }),
    success: {
      status: 200,
      body: z.object({
        items: z.array(ExperimentRunsItem),
        next_cursor: z.string().nullable(),
        has_more: z.boolean(),
      }),
    },
    example: { body: { experiment_ids: [EXPERIMENT], selects: ['NAME', 'OUTPUTS'] } },
  }),
  compareExperimentFeedback: endpoint({
    ...v1,
    ...comparing,
    method: 'POST',
    path: '/datasets/{dataset_id}/runs/delta',
    summary: 'Compare the feedback of experiments with a baseline’s',
    access: 'datasets:read',
    errors: [404],
    params,
  }),
  listSharedExamplesWithRuns: endpoint({
    ...shared,
    ...withRuns,
    path: '/public/{share_token}/examples/runs',
    summary: 'List the examples of a shared dataset with their runs',
    params: shareParams,
    example: { body: { session_ids: [EXPERIMENT], limit: 20 } },
  }),
  compareSharedExperimentFeedback: endpoint({
    ...shared,
    ...comparing,
    method: 'POST',
    path: '/public/{share_token}/datasets/runs/delta',
    summary: 'Compare the feedback of a shared dataset’s experiments',
    params: shareParams,
  }),
};
