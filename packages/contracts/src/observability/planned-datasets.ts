import { planned } from '../endpoint.ts';
import { platform, v1, v2 } from './mounts.ts';

/** Datasets of the LangSmith API that aren't built yet: each answers 501 with a sentence. */
const read = { ...v1, access: 'datasets:read' } as const;
const write = { ...v1, access: 'datasets:write' } as const;
const admin = { ...v1, access: 'datasets:admin' } as const;
const writePlatform = { ...platform, access: 'datasets:write' } as const;
const shared = { ...v1, auth: 'token' } as const;
const readV2 = { ...v2, access: 'datasets:read' } as const;

export const plannedDatasets = {
  listDatasets: planned('GET /datasets', { ...read, summary: 'List datasets' }),
  createDataset: planned('POST /datasets', { ...write, summary: 'Create a dataset' }),
  deleteDatasets: planned('DELETE /datasets', { ...admin, summary: 'Delete several datasets' }),
  cloneDataset: planned('POST /datasets/clone', {
    ...write,
    summary: 'Copy a dataset’s examples into another one',
  }),
  createComparativeExperiment: planned('POST /datasets/comparative', {
    ...write,
    summary: 'Create a comparison of experiments',
  }),
  deleteComparativeExperiment: planned('DELETE /datasets/comparative/{comparative_experiment_id}', {
    ...admin,
    summary: 'Delete a comparison of experiments',
  }),
  uploadDataset: planned('POST /datasets/upload', {
    ...write,
    summary: 'Create a dataset from a CSV or JSONL file',
  }),
  uploadExperiment: planned('POST /datasets/upload-experiment', {
    ...write,
    summary: 'Upload an experiment that ran elsewhere',
  }),
  readDataset: planned('GET /datasets/{dataset_id}', { ...read, summary: 'Read a dataset' }),
  deleteDataset: planned('DELETE /datasets/{dataset_id}', { ...admin, summary: 'Delete a dataset' }),
  patchDataset: planned('PATCH /datasets/{dataset_id}', { ...write, summary: 'Change a dataset' }),
  listComparativeExperiments: planned('GET /datasets/{dataset_id}/comparative', {
    ...read,
    summary: 'List the comparisons of a dataset’s experiments',
  }),
  exportDatasetCsv: planned('GET /datasets/{dataset_id}/csv', {
    ...read,
    summary: 'Download a dataset as CSV',
  }),
  groupExperiments: planned('POST /datasets/{dataset_id}/experiments/grouped', {
    ...read,
    summary: 'Group the experiments of a dataset by their metadata',
  }),
  groupExperimentRuns: planned('POST /datasets/{dataset_id}/group/runs', {
    ...read,
    summary: 'Group an experiment’s examples and runs by metadata',
  }),
  exportDatasetJsonl: planned('GET /datasets/{dataset_id}/jsonl', {
    ...read,
    summary: 'Download a dataset as JSONL',
  }),
  exportDatasetOpenAiEvaluation: planned('GET /datasets/{dataset_id}/openai', {
    ...read,
    summary: 'Download a dataset in OpenAI’s format for evaluations',
  }),
  exportDatasetOpenAiFineTune: planned('GET /datasets/{dataset_id}/openai_ft', {
    ...read,
    summary: 'Download a dataset in OpenAI’s format for fine-tuning',
  }),
  listExamplesWithRuns: planned('POST /datasets/{dataset_id}/runs', {
    ...read,
    summary: 'List examples with their runs in experiments',
  }),
  compareExperimentFeedback: planned('POST /datasets/{dataset_id}/runs/delta', {
    ...read,
    summary: 'Compare the feedback of experiments with a baseline’s',
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
  listDatasetSplits: planned('GET /datasets/{dataset_id}/splits', {
    ...read,
    summary: 'List the splits of a dataset',
  }),
  updateDatasetSplits: planned('PUT /datasets/{dataset_id}/splits', {
    ...write,
    summary: 'Move examples into a split of a dataset',
  }),
  tagDatasetVersion: planned('PUT /datasets/{dataset_id}/tags', {
    ...write,
    summary: 'Put a tag on a version of a dataset',
  }),
  readDatasetVersion: planned('GET /datasets/{dataset_id}/version', {
    ...read,
    summary: 'Read the version of a dataset at a time or tag',
  }),
  listDatasetVersions: planned('GET /datasets/{dataset_id}/versions', {
    ...read,
    summary: 'List the versions of a dataset',
  }),
  compareDatasetVersions: planned('GET /datasets/{dataset_id}/versions/diff', {
    ...read,
    summary: 'Compare two versions of a dataset',
  }),
  deleteExamplesInBulk: planned('POST /platform/datasets/examples/delete', {
    ...writePlatform,
    summary: 'Delete several examples',
  }),
  createExamplesMultipart: planned('POST /platform/datasets/{dataset_id}/examples', {
    ...writePlatform,
    summary: 'Add examples with attachments to a dataset',
  }),
  patchExamplesMultipart: planned('PATCH /platform/datasets/{dataset_id}/examples', {
    ...writePlatform,
    summary: 'Change examples with attachments of a dataset',
  }),
  listExamples: planned('GET /examples', { ...read, summary: 'List examples' }),
  createExample: planned('POST /examples', { ...write, summary: 'Create an example' }),
  deleteExamples: planned('DELETE /examples', { ...write, summary: 'Delete several examples' }),
  createExamples: planned('POST /examples/bulk', { ...write, summary: 'Create several examples' }),
  patchExamples: planned('PATCH /examples/bulk', { ...write, summary: 'Change several examples' }),
  countExamples: planned('GET /examples/count', { ...read, summary: 'Count examples' }),
  uploadExamples: planned('POST /examples/upload/{dataset_id}', {
    ...write,
    summary: 'Add examples to a dataset from a CSV file',
  }),
  validateExample: planned('POST /examples/validate', {
    ...read,
    summary: 'Check an example against its dataset’s schema',
  }),
  validateExamples: planned('POST /examples/validate/bulk', {
    ...read,
    summary: 'Check several examples against their dataset’s schema',
  }),
  readExample: planned('GET /examples/{example_id}', { ...read, summary: 'Read an example' }),
  patchExample: planned('PATCH /examples/{example_id}', { ...write, summary: 'Change an example' }),
  deleteExample: planned('DELETE /examples/{example_id}', { ...write, summary: 'Delete an example' }),
  listSharedExperimentsInBulk: planned('GET /public/datasets/sessions-bulk', {
    ...shared,
    summary: 'List the experiments of several shared datasets',
  }),
  readSharedDataset: planned('GET /public/{share_token}/datasets', {
    ...shared,
    summary: 'Read a shared dataset',
  }),
  listSharedComparativeExperiments: planned('GET /public/{share_token}/datasets/comparative', {
    ...shared,
    summary: 'List the comparisons of a shared dataset',
  }),
  listSharedDatasetFeedback: planned('GET /public/{share_token}/datasets/feedback', {
    ...shared,
    summary: 'List the feedback of a shared dataset’s runs',
  }),
  compareSharedExperimentFeedback: planned('POST /public/{share_token}/datasets/runs/delta', {
    ...shared,
    summary: 'Compare the feedback of a shared dataset’s experiments',
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
  listSharedExamplesWithRuns: planned('POST /public/{share_token}/examples/runs', {
    ...shared,
    summary: 'List the examples of a shared dataset with their runs',
  }),
  listExperimentRuns: planned('POST /v2/datasets/{dataset_id}/experiment-runs', {
    ...readV2,
    summary: 'List the examples of a dataset with their runs in experiments',
  }),
};
