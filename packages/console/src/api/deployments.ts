import { queryOptions } from '@tanstack/react-query';
import { mayDo } from '../session/session.ts';
import { isServing, slugOf } from '../words/state-rules.ts';
import { agentAt, control } from './clients.ts';
import { allRows } from './pages.ts';

/** What several views ask about deployments. */
export type Deployment = Awaited<ReturnType<typeof control.readDeployment>>;

const PAGE = { size: 100, at_once: 4 };
const EVERY_MS = 5000;

/** The deployments of the workspace, newest first; states change while one looks. Many are asked for less often. */
export const deploymentsQuery = queryOptions({
  queryKey: ['deployments', 'list'],
  queryFn: ({ signal }) =>
    allRows(
      async (offset): Promise<readonly Deployment[]> =>
        (await control.listDeployments({ query: { limit: PAGE.size, offset }, signal })).resources,
      PAGE,
    ),
  refetchInterval: ({ state: { data } }) =>
    EVERY_MS * Math.max(1, Math.ceil((data?.length ?? 0) / PAGE.size)),
});

/** So often agents are asked what waits: each question keeps a database open. */
export const WAITING_MS = 60_000;

type AgentToAsk = Pick<Deployment, 'id' | 'url' | 'status' | 'active_revision_id'>;

/** How many threads of a deployment wait for a person; asked where it serves, by those who may talk to agents. */
export const waitingQuery = (deployment: AgentToAsk) => {
  const { id, url } = deployment;
  const slug = slugOf(url);
  return queryOptions({
    queryKey: ['waiting', id],
    queryFn: ({ signal }) =>
      slug === undefined ? 0 : agentAt(slug).countThreads({ body: { status: 'interrupted' }, signal }),
    enabled: isServing(deployment) && mayDo('agents:invoke'),
    refetchInterval: WAITING_MS,
    retry: false,
    // One agent that does not answer is told of where it is counted, not on every page.
    meta: { silent: true },
  });
};
