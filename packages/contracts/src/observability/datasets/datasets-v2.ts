import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { filterBy, queryFlag, queryInt, queryList } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { Dataset, datasetFilter } from './dataset-shapes.ts';
import { v2 } from '../mounts.ts';

export const datasetsV2 = {
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
