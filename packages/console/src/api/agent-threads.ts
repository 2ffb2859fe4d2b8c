import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { ThreadStatus } from '@roadstead/contracts/agent-server';
import { agentAt } from './clients.ts';
import { whileOnePage } from './pages.ts';
import { queryClient } from './query-client.ts';

/** Threads of a deployment's agents, and the assistants that they talk to. */

type Agent = ReturnType<typeof agentAt>;
export type Assistant = Awaited<ReturnType<Agent['readAssistant']>>;
export type ThreadRow = Awaited<ReturnType<Agent['searchThreads']>>[number];

const MOST = 50;

/** All assistants of a deployment. */
export const assistantsQuery = (slug: string) =>
  queryOptions({
    queryKey: ['assistants', slug, 'list'],
    queryFn: async ({ signal }): Promise<Assistant[]> => {
      const found: Assistant[] = [];
      for (;;) {
        const some = await agentAt(slug).searchAssistants({
          body: { limit: MOST, offset: found.length },
          signal,
        });
        found.push(...(some as Assistant[]));
        if (some.length < MOST) return found;
      }
    },
    staleTime: 30_000,
  });

export interface ThreadFilter {
  readonly status?: ThreadStatus | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** Rows of threads without their states, which may be large: only their first and last words. */
export const threadsQuery = (slug: string, { status, metadata }: ThreadFilter = {}) =>
  infiniteQueryOptions({
    queryKey: ['threads', slug, 'list', { status, metadata }],
    queryFn: async ({ signal, pageParam }): Promise<ThreadRow[]> =>
      agentAt(slug).searchThreads({
        body: {
          limit: MOST,
          offset: pageParam,
          ...(status !== undefined && { status }),
          ...(metadata !== undefined && { metadata: { ...metadata } }),
          select: ['thread_id', 'status', 'created_at', 'updated_at', 'metadata', 'interrupts', 'error'],
          extract: { first: 'values.messages[0].content', last: 'values.messages[-1].content' },
        },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: (last, all) => (last.length < MOST ? undefined : all.flat().length),
    refetchInterval: whileOnePage(10_000),
  });

/** What a thread is about: its first words, or where they are kept, its title. */
export function threadTitle({ metadata, extracted }: ThreadRow): string {
  const named = metadata?.['title'] ?? metadata?.['name'];
  if (typeof named === 'string' && named !== '') return named;
  return textOf(extracted?.['first']) ?? 'No messages';
}

/** The text of a message's content, cut to a line. */
export function textOf(content: unknown): string | undefined {
  if (typeof content === 'string') return content.slice(0, 200) || undefined;
  if (!Array.isArray(content)) return undefined;
  return content
    .map((block: unknown) =>
      typeof block === 'object' && block !== null && 'text' in block ? String(block.text) : '',
    )
    .join(' ')
    .slice(0, 200);
}

/** Says to every view that a thread of an agent changed. */
export async function threadChanged(slug: string, thread_id?: string): Promise<void> {
  const keys = [
    ['threads', slug],
    ['waiting'],
    ['inbox', slug],
    ...(thread_id === undefined ? [] : [['thread', slug, thread_id]]),
  ];
  await Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}
