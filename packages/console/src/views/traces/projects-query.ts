import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { traces } from '../../api/clients.ts';
import { whileOnePage } from '../../api/pages.ts';

export type Project = Awaited<ReturnType<typeof traces.readSession>>;

const PAGE = 100;

/** Tracing projects with their figures, page by page. Experiments are the datasets' own. */
export const projectsQuery = (name: string) =>
  infiniteQueryOptions({
    queryKey: ['projects', 'list', name],
    queryFn: ({ pageParam, signal }) =>
      traces.listSessions({
        query: {
          include_stats: 'true',
          reference_free: 'true',
          ...(name !== '' && { name_contains: name }),
          sort_by: 'last_run_start_time',
          offset: pageParam,
          limit: PAGE,
        },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.length < PAGE ? undefined : pages.length * PAGE),
    refetchInterval: whileOnePage(15_000),
  });

export const projectQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project],
    queryFn: ({ signal }) => traces.readSession({ params: { session_id: project }, query: {}, signal }),
    staleTime: 60_000,
  });

/** The deployment that writes into a project, where one of ours does. */
export function deploymentOf(project: Project | undefined): string | undefined {
  const metadata = project?.extra?.['metadata'] as Record<string, unknown> | null | undefined;
  const id = metadata?.['deployment_id'];
  return typeof id === 'string' ? id : undefined;
}
