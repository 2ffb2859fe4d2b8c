import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { agentAt } from '../../api/clients.ts';

/** What the views of one deployment's agents ask it. */

export type ThreadState = Awaited<ReturnType<ReturnType<typeof agentAt>['readThreadState']>>;

export const threadQuery = (slug: string, thread_id: string) =>
  queryOptions({
    queryKey: ['thread', slug, thread_id, 'thread'],
    queryFn: ({ signal }) => agentAt(slug).readThread({ params: { thread_id }, signal }),
  });

/** The state now, or at a checkpoint. */
export const stateQuery = (slug: string, { thread_id, checkpoint_id }: StateOf) =>
  queryOptions({
    queryKey: ['thread', slug, thread_id, 'state', checkpoint_id],
    queryFn: ({ signal }): Promise<ThreadState> =>
      checkpoint_id === undefined
        ? agentAt(slug).readThreadState({ params: { thread_id }, query: { subgraphs: 'true' }, signal })
        : agentAt(slug).readThreadStateAt({ params: { thread_id, checkpoint_id }, signal }),
  });

interface StateOf {
  readonly thread_id: string;
  readonly checkpoint_id?: string | undefined;
}

const STEPS = 30;

/** The steps of a thread, the newest first; each holds a whole state, so few are asked for at once. */
export const stepsQuery = (slug: string, thread_id: string) =>
  infiniteQueryOptions({
    queryKey: ['thread', slug, thread_id, 'steps'],
    queryFn: ({ signal, pageParam }): Promise<ThreadState[]> =>
      agentAt(slug).searchThreadStates({
        params: { thread_id },
        body: { limit: STEPS, ...(pageParam !== undefined && { before: pageParam }) },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => (last.length < STEPS ? undefined : (last.at(-1)?.checkpoint_id ?? undefined)),
  });

/** The run that is on its way, if there is one. */
export const activeRunQuery = (slug: string, thread_id: string) =>
  queryOptions({
    queryKey: ['thread', slug, thread_id, 'active-run'],
    queryFn: async ({ signal }) => {
      const runs = await agentAt(slug).listThreadRuns({
        params: { thread_id },
        query: { limit: '5', select: ['run_id', 'status'] },
        signal,
      });
      return runs.find(({ status }) => status === 'running' || status === 'pending')?.run_id ?? null;
    },
    refetchInterval: 10_000,
  });

export const schemasQuery = (slug: string, assistant_id: string) =>
  queryOptions({
    queryKey: ['assistants', slug, assistant_id, 'schemas'],
    queryFn: ({ signal }) => agentAt(slug).readAssistantSchemas({ params: { assistant_id }, signal }),
    staleTime: 300_000,
  });

export const graphQuery = (slug: string, assistant_id: string) =>
  queryOptions({
    queryKey: ['assistants', slug, assistant_id, 'graph'],
    queryFn: ({ signal }) =>
      agentAt(slug).readAssistantGraph({ params: { assistant_id }, query: { xray: 'true' }, signal }),
    staleTime: 300_000,
  });
