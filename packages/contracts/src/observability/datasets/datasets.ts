import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { filterBy, queryFlag, queryInt, queryList, Uuid } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { Dataset, DatasetCreate, datasetFilter, DatasetUpdate } from './dataset-shapes.ts';
import { v1, v2 } from '../mounts.ts';

const params = z.object({ dataset_id: Uuid });
const read = { ...v1, access: 'datasets:read' } as const;
const write = { ...v1, access: 'datasets:write' } as const;
const admin = { ...v1, access: 'datasets:admin' } as const;

export const datasets = {
  listDatasets: endpoint({
    ...read,
    method: 'GET',
    path: '/datasets',
    summary: 'List datasets',
    query: z.object({
      ...datasetFilter,
      sort_by_desc: queryFlag.default(true),
      /** `example_count` is null then. */
      exclude: filterBy(queryList(WellFormedText)),
      offset: queryInt({ fallback: 0 }),
      limit: queryInt({ min: 1, max: 100, fallback: 100 }),
    }),
    success: { status: 200, body: z.array(Dataset) },
    example: { query: { name_contains: 'questions', sort_by: 'name', limit: '20' } },
  }),
  createDataset: endpoint({
    ...write,
    method: 'POST',
    path: '/datasets',
    summary: 'Create a dataset; a taken name is 409',
    errors: [409],
    body: DatasetCreate,
    success: { status: 200, body: Dataset },
    example: { body: { name: 'questions', description: 'What customers ask', data_type: 'kv' } },
  }),
  deleteDatasets: endpoint({
    ...admin,
    method: 'DELETE',
    path: '/datasets',
    summary: 'Delete several datasets with their examples, all of them or none',
    errors: [404],
    query: z.object({ dataset_ids: queryList(Uuid).refine((ids) => ids.length > 0 && ids.length <= 100) }),
    success: { status: 200, body: z.object({ message: z.string() }) },
    example: { query: { dataset_ids: ['0199d3a0-0000-7000-8000-0000000000d1'] } },
  }),
  readDataset: endpoint({
    ...read,
    method: 'GET',
    path: '/datasets/{dataset_id}',
    summary: 'Read a dataset',
    params,
    success: { status: 200, body: Dataset },
  }),
  patchDataset: endpoint({
    ...write,
    method: 'PATCH',
    path: '/datasets/{dataset_id}',
    summary: 'Change a dataset; what is absent stays as it is, and null removes it',
    errors: [409],
    params,
    body: DatasetUpdate,
    success: { status: 200, body: Dataset },
    example: { body: { description: 'What customers ask, and colleagues' } },
  }),
  deleteDataset: endpoint({
    ...admin,
    method: 'DELETE',
    path: '/datasets/{dataset_id}',
    summary: 'Delete a dataset with its examples',
    params,
    success: { status: 200, body: z.object({ message: z.string() }) },
  }),
  listDatasetsV2: endpoint({
    ...v2,
    access: 'datasets:read',
    method: 'GET',
    path: '/v2/datasets',
    summary: 'List datasets page by page; `next_cursor` is null on the last page',
    query: z.object({
      ...datasetFilter,
      exclude: filterBy(queryList(z.enum(['example_count']))),
      exclude_corrections_datasets: queryFlag.optional(),
      sort_order: z.enum(['asc', 'desc']).default('desc'),
      page_size: queryInt({ min: 1, max: 100, fallback: 20 }),
      cursor: WellFormedText.max(1000).optional(),
    }),
    success: {
      status: 200,
      body: z.object({ items: z.array(Dataset), next_cursor: z.string().nullable() }),
    },
    example: { query: { name_contains: 'questions', sort_by: 'created_at', page_size: '20' } },
  }),
};
