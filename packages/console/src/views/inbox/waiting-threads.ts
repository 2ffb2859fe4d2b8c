import { ApiError } from '@roadstead/contracts/client';
import { queryOptions, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ThreadRow } from '../../api/agent-threads.ts';
import { agentAt } from '../../api/clients.ts';
import { deploymentsQuery, WAITING_MS } from '../../api/deployments.ts';
import { fewAtOnce } from '../../api/few-at-once.ts';
import { mayDo } from '../../session/session.ts';
import { isServing, slugOf } from '../../words/state-rules.ts';

/** A thread that waits for a person, and whose it is. */
export interface WaitingThread extends ThreadRow {
  readonly thread_id: string;
  readonly slug: string;
  readonly agent: string;
}

const PAGE = 100;
/** Nobody answers more in one sitting; what is answered makes room for the rest. */
const MOST = 1000;

const few = fewAtOnce(4);
/** Agents that are asked each minute; with more of them each is asked less often. */
const AGENTS = 50;

const waitingThreadsQuery = (slug: string, agents: number) =>
  queryOptions({
    queryKey: ['inbox', slug],
    queryFn: ({ signal }) => few(() => readWaiting(slug, signal)),
    enabled: mayDo('agents:invoke'),
    refetchInterval: WAITING_MS * Math.ceil(agents / AGENTS),
    retry: false,
    meta: { silent: true },
  });

async function readWaiting(slug: string, signal: AbortSignal): Promise<ThreadRow[]> {
  const found: ThreadRow[] = [];
  for (;;) {
    const some = await agentAt(slug).searchThreads({
      body: {
        status: 'interrupted',
        limit: PAGE,
        offset: found.length,
        select: ['thread_id', 'status', 'created_at', 'updated_at', 'metadata', 'interrupts'],
        extract: { first: 'values.messages[0].content' },
      },
      signal,
    });
    found.push(...some);
    if (some.length < PAGE || found.length >= MOST) return found;
  }
}

/** Whether an agent that should answer doesn't; of one that is not there, or no longer, nothing is expected. */
const isTrouble = (error: Error | null | undefined) =>
  error !== null && error !== undefined && !(error instanceof ApiError && error.status === 404);

/** All threads of all deployments that wait, those that wait longest first. */
export function useWaitingThreads() {
  const deployments = useQuery(deploymentsQuery);
  // One that has not begun to serve has no thread, and answers nothing.
  const agents = (deployments.data ?? []).flatMap((deployment) => {
    const slug = slugOf(deployment.url);
    return slug === undefined || !isServing(deployment) ? [] : [{ name: deployment.name, slug }];
  });
  const answers = useQueries({ queries: agents.map(({ slug }) => waitingThreadsQuery(slug, agents.length)) });
  const threads = answers
    .flatMap(({ data = [] }, index) => {
      const { name: agent = '', slug = '' } = agents[index] ?? {};
      return data.map((row): WaitingThread => ({ ...row, thread_id: row.thread_id ?? '', agent, slug }));
    })
    .toSorted((one, other) => (one.updated_at ?? '').localeCompare(other.updated_at ?? ''));
  const client = useQueryClient();
  return {
    deployments,
    agents,
    threads,
    isComplete: deployments.data !== undefined && answers.every(({ isPending }) => !isPending),
    /** Takes out a thread that was just answered, before the agents say so. */
    forget: (thread_id: string) =>
      client.setQueriesData<readonly ThreadRow[]>({ queryKey: ['inbox'] }, (rows) =>
        rows?.filter((row) => row.thread_id !== thread_id),
      ),
    silent: agents.filter((_agent, index) => isTrouble(answers[index]?.error)).map(({ name }) => name),
  };
}
