import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { traces } from '../../api/clients.ts';
import { rowsOf } from '../../api/pages.ts';

const PAGE = 100;

interface ExamplesOf {
  readonly dataset: string;
  readonly version: string | undefined;
  readonly split: string | undefined;
  readonly words: string | undefined;
}

const filterOf = ({ dataset, version, split, words }: ExamplesOf) => ({
  dataset,
  ...(version !== undefined && { as_of: version }),
  ...(split !== undefined && { splits: [split] }),
  ...(words !== undefined && { full_text_contains: [words] }),
});

export const examplesQuery = (of: ExamplesOf) =>
  infiniteQueryOptions({
    queryKey: ['datasets', 'examples', of],
    queryFn: ({ pageParam, signal }) =>
      traces.listExamples({
        query: { ...filterOf(of), order: 'recently_created', limit: PAGE, offset: pageParam },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.length < PAGE ? undefined : pages.length * PAGE),
    select: rowsOf,
    placeholderData: keepPreviousData,
  });

/** One example, which may stand beyond the pages that are loaded. */
export const exampleQuery = (
  example_id: string,
  { dataset, version }: Pick<ExamplesOf, 'dataset' | 'version'>,
) =>
  queryOptions({
    queryKey: ['datasets', 'example', example_id, { dataset, version }],
    queryFn: ({ signal }) =>
      traces.readExample({
        params: { example_id },
        query: { dataset, ...(version !== undefined && { as_of: version }) },
        signal,
      }),
  });

export const exampleCountQuery = (of: ExamplesOf) =>
  queryOptions({
    queryKey: ['datasets', 'example count', of],
    queryFn: ({ signal }) => traces.countExamples({ query: filterOf(of), signal }),
  });

export const splitsQuery = (dataset_id: string) =>
  queryOptions({
    queryKey: ['datasets', 'splits', dataset_id],
    queryFn: ({ signal }) => traces.listDatasetSplits({ params: { dataset_id }, query: {}, signal }),
  });

export const versionsQuery = (dataset_id: string) =>
  queryOptions({
    queryKey: ['datasets', 'versions', dataset_id],
    queryFn: ({ signal }) => traces.listDatasetVersions({ params: { dataset_id }, query: {}, signal }),
  });

/** What changed from a version to the newest one. */
export const versionDiffQuery = (dataset_id: string, version: string) =>
  queryOptions({
    queryKey: ['datasets', 'version diff', dataset_id, version],
    queryFn: ({ signal }) =>
      traces.compareDatasetVersions({
        params: { dataset_id },
        query: { from_version: version, to_version: 'latest' },
        signal,
      }),
  });
