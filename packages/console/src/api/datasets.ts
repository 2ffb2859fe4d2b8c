import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { traces } from './clients.ts';
import { rowsOf } from './pages.ts';

/** What several views ask about datasets. */
export type Dataset = Awaited<ReturnType<typeof traces.readDataset>>;
export type Example = Awaited<ReturnType<typeof traces.readExample>>;

const PAGE = 50;
const JSON_TYPE = { 'content-type': 'application/json' };

export const datasetsQuery = (words: string) =>
  infiniteQueryOptions({
    queryKey: ['datasets', 'list', words],
    queryFn: ({ pageParam, signal }) =>
      traces.listDatasets({
        query: {
          sort_by: 'modified_at',
          limit: PAGE,
          offset: pageParam,
          ...(words !== '' && { name_contains: words }),
        },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.length < PAGE ? undefined : pages.length * PAGE),
    select: rowsOf,
    placeholderData: keepPreviousData,
  });

export const datasetQuery = (dataset_id: string) =>
  queryOptions({
    queryKey: ['datasets', 'one', dataset_id],
    queryFn: ({ signal }) => traces.readDataset({ params: { dataset_id }, signal }),
  });

export interface ExampleValues {
  readonly inputs: unknown;
  readonly outputs: unknown;
  readonly metadata?: unknown;
  readonly split?: readonly string[];
  readonly source_run_id?: string;
}

export const createExample = (dataset_id: string, values: ExampleValues) =>
  traces.createExample({ raw: JSON.stringify({ dataset_id, ...values }), headers: JSON_TYPE });

/** Changes an example as a whole: what is not among the values is emptied. */
export const replaceExample = (example_id: string, values: ExampleValues) =>
  traces.patchExample({
    params: { example_id },
    raw: JSON.stringify({ ...values, overwrite: true }),
    headers: JSON_TYPE,
  });
