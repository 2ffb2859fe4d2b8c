import { planned } from '../endpoint.ts';
import { v1 } from './mounts.ts';

/** Datasets of the LangSmith API that aren't built yet: each answers 501 with a sentence. */
const read = { ...v1, access: 'datasets:read' } as const;
const write = { ...v1, access: 'datasets:write' } as const;
const admin = { ...v1, access: 'datasets:admin' } as const;
const shared = { ...v1, auth: 'token' } as const;

export const plannedDatasets = {
  cloneDataset: planned('POST /datasets/clone', {
    ...write,
    summary: 'Copy a dataset’s examples into another one',
  }),
  readDatasetShare: planned('GET /datasets/{dataset_id}/share', {
    ...read,
    summary: 'Read the share link of a dataset',
  }),
  shareDataset: planned('PUT /datasets/{dataset_id}/share', { ...admin, summary: 'Share a dataset by link' }),
  unshareDataset: planned('DELETE /datasets/{dataset_id}/share', {
    ...admin,
    summary: 'Stop sharing a dataset',
  }),
  listSharedExperimentsInBulk: planned('GET /public/datasets/sessions-bulk', {
    ...shared,
    summary: 'List the experiments of several shared datasets',
  }),
  readSharedDataset: planned('GET /public/{share_token}/datasets', {
    ...shared,
    summary: 'Read a shared dataset',
  }),
  listSharedDatasetFeedback: planned('GET /public/{share_token}/datasets/feedback', {
    ...shared,
    summary: 'List the feedback of a shared dataset’s runs',
  }),
  querySharedDatasetRuns: planned('POST /public/{share_token}/datasets/runs/query', {
    ...shared,
    summary: 'Query the runs of a shared dataset',
  }),
  readSharedDatasetRunStats: planned('POST /public/{share_token}/datasets/runs/stats', {
    ...shared,
    summary: 'Sum up the runs of a shared dataset',
  }),
  readSharedDatasetRun: planned('GET /public/{share_token}/datasets/runs/{run_id}', {
    ...shared,
    summary: 'Read a run of a shared dataset',
  }),
  listSharedExperiments: planned('GET /public/{share_token}/datasets/sessions', {
    ...shared,
    summary: 'List the experiments of a shared dataset',
  }),
  listSharedExamples: planned('GET /public/{share_token}/examples', {
    ...shared,
    summary: 'List the examples of a shared dataset',
  }),
  countSharedExamples: planned('GET /public/{share_token}/examples/count', {
    ...shared,
    summary: 'Count the examples of a shared dataset',
  }),
};
