import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { queryInt, Uuid } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { DatasetDiffInfo, DatasetVersion } from './dataset-shapes.ts';
import { v1 } from '../mounts.ts';

const params = z.object({ dataset_id: Uuid });
const read = { ...v1, access: 'datasets:read' } as const;
const write = { ...v1, access: 'datasets:write' } as const;
/** An instant or a tag. */
const version = WellFormedText.min(1).max(500);
const name = WellFormedText.min(1).max(500);

export const datasetVersions = {
  readDatasetVersion: endpoint({
    ...read,
    method: 'GET',
    path: '/datasets/{dataset_id}/version',
    summary: 'Read the version of a dataset at a time or tag',
    params,
    query: z.object({ as_of: version.optional(), tag: name.optional() }),
    success: { status: 200, body: DatasetVersion },
    example: { query: { tag: 'latest' } },
  }),
  listDatasetVersions: endpoint({
    ...read,
    method: 'GET',
    path: '/datasets/{dataset_id}/versions',
    summary: 'List the versions of a dataset, newest first',
    params,
    query: z.object({
      /** A part of a tag or of a time. */
      search: WellFormedText.max(500).optional(),
      /** Only those in which this example changed. */
      example: Uuid.optional(),
      limit: queryInt({ min: 1, max: 100, fallback: 100 }),
      offset: queryInt({ fallback: 0 }),
    }),
    success: { status: 200, body: z.array(DatasetVersion) },
    example: { query: { search: 'latest', limit: '10' } },
  }),
  compareDatasetVersions: endpoint({
    ...read,
    method: 'GET',
    path: '/datasets/{dataset_id}/versions/diff',
    summary: 'Compare two versions of a dataset, each by its time or tag',
    params,
    query: z.object({ from_version: version, to_version: version }),
    success: { status: 200, body: DatasetDiffInfo },
    example: { query: { from_version: '2026-01-01T00:00:00Z', to_version: 'latest' } },
  }),
  tagDatasetVersion: endpoint({
    ...write,
    method: 'PUT',
    path: '/datasets/{dataset_id}/tags',
    summary: 'Put a tag on a version of a dataset, by its exact time; it leaves the version that it was on',
    params,
    body: z.object({ as_of: version, tag: name }),
    success: { status: 200, body: DatasetVersion },
    example: { body: { as_of: 'latest', tag: 'production' } },
  }),
  listDatasetSplits: endpoint({
    ...read,
    method: 'GET',
    path: '/datasets/{dataset_id}/splits',
    summary: 'List the splits of a dataset',
    params,
    query: z.object({ as_of: version.optional() }),
    success: { status: 200, body: z.array(z.string()) },
    example: { query: { as_of: 'latest' } },
  }),
  updateDatasetSplits: endpoint({
    ...write,
    method: 'PUT',
    path: '/datasets/{dataset_id}/splits',
    summary: 'Put examples into a split of a dataset, or take them out; answers those that changed',
    params,
    body: z.object({
      split_name: name,
      examples: z.array(Uuid).max(10_000),
      remove: z.boolean().default(false),
    }),
    max_body_values: 20_000,
    success: { status: 200, body: z.array(z.string()) },
    example: { body: { split_name: 'test', examples: [] } },
  }),
};
