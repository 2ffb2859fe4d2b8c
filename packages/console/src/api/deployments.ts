import { queryOptions } from '@tanstack/react-query';
import { slugOf } from '../words/state-rules.ts';
import { agentAt, control } from './clients.ts';

/** What several views ask about deployments. */
export type Deployment = Awaited<ReturnType<typeof control.readDeployment>>;

const MOST = 100;

/** The deployments of the workspace, newest first; states change while one looks. */
export const deploymentsQuery = queryOptions({
  queryKey: ['deployments', 'list'],
  queryFn: async ({ signal }) => {
    const found: Deployment[] = [];
    for (;;) {
      const { resources } = await control.listDeployments({
        query: { limit: MOST, offset: found.length },
        signal,
      });
      found.push(...resources);
      if (resources.length < MOST) return found;
    }
  },
  refetchInterval: 5000,
});

/** How many threads of a deployment wait for a person. */
export const waitingQuery = ({ id, url }: Pick<Deployment, 'id' | 'url'>) => {
  const slug = slugOf(url);
  return queryOptions({
    queryKey: ['waiting', id],
    queryFn: ({ signal }) =>
      slug === undefined ? 0 : agentAt(slug).countThreads({ body: { status: 'interrupted' }, signal }),
    refetchInterval: 30_000,
    retry: false,
  });
};
