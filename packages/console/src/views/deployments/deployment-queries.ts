import { infiniteQueryOptions, queryOptions, type QueryClient } from '@tanstack/react-query';
import { control } from '../../api/clients.ts';
import type { Deployment } from '../../api/deployments.ts';
import { allRows } from '../../api/pages.ts';
import { hasEnded } from './phase-rules.ts';

/** What the pages of deployments ask. All of it lies below the key of the list, so that one call makes all of it new. */

export type Revision = Awaited<ReturnType<typeof control.readRevision>>;

const PAGE = 30;
const LIVE_MS = 1000;
const IDLE_MS = 5000;
/** With more pages than these nobody waits for news at the top. */
const MOST_LIVE_PAGES = 3;

export const refreshDeployments = (client: QueryClient): Promise<void> =>
  client.invalidateQueries({ queryKey: ['deployments'] });

export const deploymentQuery = (id: string) =>
  queryOptions({
    queryKey: ['deployments', 'one', id],
    queryFn: ({ signal }) => control.readDeployment({ params: { deployment_id: id }, signal }),
    refetchInterval: ({ state: { data } }) =>
      data?.latest_revision_id === data?.active_revision_id ? IDLE_MS : LIVE_MS,
  });

/** Deleted deployments that can be restored. */
export const binQuery = queryOptions({
  queryKey: ['deployments', 'bin'],
  queryFn: async ({ signal }) => {
    const found: Deployment[] = [];
    for (;;) {
      const query = { status: 'deleted' as const, limit: 100, offset: found.length };
      const { resources } = await control.listDeployments({ query, signal });
      found.push(...resources);
      if (resources.length < 100) return found;
    }
  },
});

/** The revisions of a deployment, newest first; while one is on its way, each second. */
export const revisionsQuery = (deployment_id: string) =>
  infiniteQueryOptions({
    queryKey: ['deployments', deployment_id, 'revisions'],
    queryFn: async ({ pageParam: offset, signal }) => {
      const query = { limit: PAGE, offset };
      const { resources } = await control.listRevisions({ params: { deployment_id }, query, signal });
      return resources;
    },
    initialPageParam: 0,
    getNextPageParam: (last: readonly Revision[], pages) =>
      last.length < PAGE ? undefined : pages.length * PAGE,
    refetchInterval: ({ state: { data } }) => {
      if ((data?.pages.length ?? 0) > MOST_LIVE_PAGES) return false;
      return data?.pages[0]?.some(({ status }) => !hasEnded(status)) === true ? LIVE_MS : IDLE_MS;
    },
  });

const CHOICES = { size: 100, at_once: 4 };

/** All revisions of a deployment, to choose one. */
export const revisionChoicesQuery = (deployment_id: string) =>
  queryOptions({
    queryKey: ['deployments', deployment_id, 'revisions', 'choices'],
    queryFn: ({ signal }) =>
      allRows(async (offset) => {
        const query = { limit: CHOICES.size, offset };
        return (await control.listRevisions({ params: { deployment_id }, query, signal })).resources;
      }, CHOICES),
  });

export const revisionQuery = (deployment_id: string, revision_id: string) =>
  queryOptions({
    queryKey: ['deployments', deployment_id, 'revisions', revision_id],
    queryFn: ({ signal }) => control.readRevision({ params: { deployment_id, revision_id }, signal }),
    staleTime: 30_000,
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && !hasEnded(data.status) ? LIVE_MS : false,
  });
