import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { traces } from '../../api/clients.ts';
import { rowsOf } from '../../api/pages.ts';

export type Experiment = Awaited<ReturnType<typeof traces.readSession>>;
export type ComparedExample = Awaited<ReturnType<typeof traces.listExamplesWithRuns>>[number];
export type ComparedRun = ComparedExample['runs'][number];

const PAGE = 100;

export const experimentsQuery = (dataset: string) =>
  infiniteQueryOptions({
    queryKey: ['experiments', 'list', dataset],
    queryFn: ({ pageParam, signal }) =>
      traces.listSessions({
        query: { reference_dataset: [dataset], include_stats: 'true', limit: PAGE, offset: pageParam },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.length < PAGE ? undefined : pages.length * PAGE),
    select: rowsOf,
  });

export const experimentsNamedQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: ['experiments', 'by id', ids],
    queryFn: ({ signal }) =>
      traces.listSessions({ query: { id: [...ids], include_stats: 'true', limit: PAGE }, signal }),
    enabled: ids.length > 0,
  });

/** Examples with their runs, whose values are cut: an example that is opened is asked for as a whole. */
export const comparedQuery = (dataset_id: string, session_ids: readonly string[]) =>
  infiniteQueryOptions({
    queryKey: ['experiments', 'compared', dataset_id, session_ids],
    queryFn: ({ pageParam, signal }) =>
      traces.listExamplesWithRuns({
        params: { dataset_id },
        query: {},
        body: { session_ids: [...session_ids], preview: true, limit: PAGE, offset: pageParam },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.length < PAGE ? undefined : pages.length * PAGE),
    select: rowsOf,
    enabled: session_ids.length > 0,
  });

interface OneCompared {
  readonly session_ids: readonly string[];
  readonly example: string;
}

export const oneComparedQuery = (dataset_id: string, { session_ids, example }: OneCompared) =>
  queryOptions({
    queryKey: ['experiments', 'one compared', dataset_id, session_ids, example],
    queryFn: async ({ signal }) => {
      const body = { session_ids: [...session_ids], example_ids: [example] };
      const found = await traces.listExamplesWithRuns({ params: { dataset_id }, query: {}, body, signal });
      return found[0] ?? null;
    },
  });

/** The keys of feedback of which less is better. */
export const lowerIsBetterQuery = queryOptions({
  queryKey: ['feedback configs', 'lower is better'],
  queryFn: async ({ signal }) => {
    const configs = await traces.listFeedbackConfigs({ query: {}, signal });
    return new Set(
      configs
        .filter(({ is_lower_score_better }) => is_lower_score_better)
        .map(({ feedback_key }) => feedback_key),
    );
  },
  staleTime: 60_000,
});
