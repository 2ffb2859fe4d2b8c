import { queryOptions } from '@tanstack/react-query';
import { mayDo } from '../session/session.ts';
import { control } from './clients.ts';
import { BatchedQuestions } from './batched-questions.ts';

/** The names of the deployments that a list mentions, asked for together, however many the workspace has. */

const MOST = 100;

const names = new BatchedQuestions(MOST, async (ids) => {
  const { resources } = await control.listDeployments({ query: { deployment_ids: [...ids], limit: MOST } });
  return new Map(resources.map(({ id, name }) => [id, name]));
});

/** Null where there is none of this id. */
export const deploymentNameQuery = (id: string | null) =>
  queryOptions({
    queryKey: ['deployments', 'name', id],
    queryFn: async () => (id === null ? null : ((await names.ask(id)) ?? null)),
    enabled: id !== null && mayDo('deployments:read'),
    staleTime: 60_000,
  });
