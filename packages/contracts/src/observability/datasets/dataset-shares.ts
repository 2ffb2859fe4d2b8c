import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { filterBy, queryFlag, queryInt, queryList, Uuid } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { Dataset, DatasetCopy } from './dataset-shapes.ts';
import { Example, exampleFilter, ExampleQuery } from './example-shapes.ts';
import { Feedback, feedbackFilter } from '../feedback/feedback.ts';
import { v1 } from '../mounts.ts';
import { RunStats, RunStatsQuery } from '../runs/run-stats.ts';
import { Run, RunQuery } from '../runs/runs.ts';
import { TracerSession } from '../sessions/sessions.ts';

/** Links by which anybody reads a dataset, and the endpoints behind them. */

const DatasetShare = z
  .object({ dataset_id: z.string(), share_token: z.string() })
  .meta({ id: 'DatasetShare' });
const SharedDataset = Dataset.omit({
  tenant_id: true,
  modified_at: true,
  session_count: true,
  last_session_start_time: true,
  baseline_experiment_id: true,
}).meta({ id: 'SharedDataset' });

const dataset = z.object({ dataset_id: Uuid });
const token = z.object({ share_token: WellFormedText });
const shared = { ...v1, auth: 'token', errors: [404] } as const;
const sessionQuery = z.object({
  id: filterBy(queryList(Uuid)),
  name: WellFormedText.optional(),
  name_contains: WellFormedText.optional(),
  sort_by: z
    .enum([
      'name',
      'start_time',
      'last_run_start_time',
      'latency_p50',
      'latency_p99',
      'error_rate',
      'runs_count',
    ])
    .default('start_time'),
  sort_by_desc: queryFlag.default(true),
  offset: queryInt({ fallback: 0 }),
  limit: queryInt({ min: 1, max: 100, fallback: 100 }),
});

const ownShare = {
  readDatasetShare: endpoint({
    ...v1,
    access: 'datasets:read',
    method: 'GET',
    path: '/datasets/{dataset_id}/share',
    summary: 'Read the share link of a dataset; null where there is none',
    params: dataset,
    success: { status: 200, body: DatasetShare.nullable() },
  }),
  shareDataset: endpoint({
    ...v1,
    access: 'datasets:admin',
    method: 'PUT',
    path: '/datasets/{dataset_id}/share',
    summary: 'Share a dataset by link, and with `share_projects` its experiments',
    params: dataset,
    query: z.object({ share_projects: queryFlag.default(false) }),
    success: { status: 200, body: DatasetShare },
    example: { query: { share_projects: 'true' } },
  }),
  unshareDataset: endpoint({
    ...v1,
    access: 'datasets:admin',
    method: 'DELETE',
    path: '/datasets/{dataset_id}/share',
    summary: 'Stop sharing a dataset',
    params: dataset,
    success: { status: 200, body: z.object({ message: z.string() }) },
  }),
  cloneDataset: endpoint({
    ...v1,
    access: 'datasets:write',
    method: 'POST',
    path: '/datasets/clone',
    summary: 'Copy a dataset’s examples into another one, all of them or none',
    errors: [404, 409],
    body: DatasetCopy,
    success: { status: 200, body: z.array(Example) },
    example: {
      body: {
        source_dataset_id: '0199d3a0-0000-7000-8000-0000000000d1',
        target_dataset_id: '0199d3a0-0000-7000-8000-0000000000d1',
        split: 'test',
      },
    },
  }),
};

const sharedReads = {
  readSharedDatasetPage: endpoint({
    ...shared,
    mounts: [''],
    method: 'GET',
    path: '/public/{share_token}/d',
    summary: 'What a share link of a dataset leads to: the dataset, as JSON',
    params: token,
    success: { status: 200, body: SharedDataset },
  }),
  readSharedDataset: endpoint({
    ...shared,
    method: 'GET',
    path: '/public/{share_token}/datasets',
    summary: 'Read a shared dataset',
    params: token,
    success: { status: 200, body: SharedDataset },
  }),
  listSharedExamples: endpoint({
    ...shared,
    method: 'GET',
    path: '/public/{share_token}/examples',
    summary: 'List the examples of a shared dataset',
    params: token,
    query: ExampleQuery.omit({ dataset: true }),
    success: { status: 200, body: z.array(Example) },
    example: { query: { limit: '20' } },
  }),
  countSharedExamples: endpoint({
    ...shared,
    method: 'GET',
    path: '/public/{share_token}/examples/count',
    summary: 'Count the examples of a shared dataset',
    params: token,
    query: z.object(exampleFilter).omit({ dataset: true }),
    success: { status: 200, body: z.number() },
    example: { query: { splits: ['base'] } },
  }),
  listSharedExperiments: endpoint({
    ...shared,
    method: 'GET',
    path: '/public/{share_token}/datasets/sessions',
    summary: 'List the experiments of a shared dataset, where they are shared with it',
    params: token,
    query: sessionQuery,
    success: { status: 200, body: z.array(TracerSession) },
    example: { query: { limit: '20' } },
  }),
  listSharedExperimentsInBulk: endpoint({
    ...shared,
    method: 'GET',
    path: '/public/datasets/sessions-bulk',
    summary: 'List the experiments of several shared datasets',
    query: z.object({ share_tokens: queryList(WellFormedText).refine((all) => all.length <= 100) }),
    success: { status: 200, body: z.array(TracerSession) },
    example: { query: { share_tokens: ['0199d3a0-0000-4000-8000-00000000000b'] } },
  }),
  listSharedDatasetFeedback: endpoint({
    ...shared,
    method: 'GET',
    path: '/public/{share_token}/datasets/feedback',
    summary: 'List the feedback on a shared dataset’s experiments and their runs, newest first',
    params: token,
    query: z.object(feedbackFilter).omit({ user: true }),
    success: { status: 200, body: z.array(Feedback) },
    example: { query: { key: ['helpful'], limit: '20' } },
  }),
  querySharedDatasetRuns: endpoint({
    ...shared,
    method: 'POST',
    path: '/public/{share_token}/datasets/runs/query',
    summary: 'Query the runs of a shared dataset’s experiments',
    params: token,
    body: RunQuery,
    success: {
      status: 200,
      body: z.object({
        runs: z.array(Run.partial()),
        cursors: z.object({ next: z.string().nullable(), prev: z.string().nullable() }),
      }),
    },
    example: { body: { is_root: true, limit: 20 } },
  }),
  readSharedDatasetRunStats: endpoint({
    ...shared,
    method: 'POST',
    path: '/public/{share_token}/datasets/runs/stats',
    summary:
      'Sum up the runs of a shared dataset’s experiments that a query finds; with `group_by`, by group',
    params: token,
    body: RunStatsQuery,
    success: { status: 200, body: z.union([RunStats, z.record(z.string(), RunStats)]) },
    example: { body: { is_root: true } },
  }),
  readSharedDatasetRun: endpoint({
    ...shared,
    method: 'GET',
    path: '/public/{share_token}/datasets/runs/{run_id}',
    summary: 'Read a run of a shared dataset’s experiments',
    params: token.extend({ run_id: Uuid }),
    query: z.object({ exclude_s3_stored_attributes: queryFlag.optional() }),
    success: { status: 200, body: Run.partial() },
    example: { query: { exclude_s3_stored_attributes: 'true' } },
  }),
};

export const datasetShares = { ...ownShare, ...sharedReads };
