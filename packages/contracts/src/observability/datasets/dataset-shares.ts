import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { queryFlag, Uuid } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { Dataset, DatasetCopy } from './dataset-shapes.ts';
import { Example, exampleFilter, ExampleQuery } from './example-shapes.ts';
import { v1 } from '../mounts.ts';

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

export const datasetShares = {
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
};
