import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { traces } from '../../api/clients.ts';
import { whileOnePage } from '../../api/pages.ts';
import { rangeOf, type TraceListSearch } from './trace-list-search.ts';

export type ThreadRow = Awaited<ReturnType<typeof traces.queryThreads>>['items'][number];

const PAGE = 100;

/** The conversations of a project, the most recently active first. */
export const threadsQuery = (project: string, search: TraceListSearch) =>
  infiniteQueryOptions({
    queryKey: ['conversations', 'list', project, search],
    queryFn: ({ pageParam, signal }) => {
      const { from_ms } = rangeOf(search, Date.now());
      return traces.queryThreads({
        body: {
          project_id: project,
          min_start_time: new Date(from_ms).toISOString(),
          ...(search.filter !== undefined && { filter: search.filter }),
          ...(pageParam !== undefined && { cursor: pageParam }),
          page_size: PAGE,
        },
        signal,
      });
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: whileOnePage(15_000),
  });

const TURN = [
  'NAME',
  'START_TIME',
  'LATENCY',
  'INPUTS_PREVIEW',
  'OUTPUTS_PREVIEW',
  'ERROR_PREVIEW',
  'TOTAL_TOKENS',
  'TOTAL_COST',
];
const TURNS = 50;

/** The turns of a conversation, oldest first. */
export const turnsQuery = (project: string, thread: string) =>
  infiniteQueryOptions({
    queryKey: ['turns', project, thread],
    queryFn: ({ pageParam, signal }) =>
      traces.listThreadTraces({
        params: { thread_id: thread },
        query: {
          project_id: project,
          selects: TURN,
          page_size: TURNS,
          ...(pageParam !== undefined && { cursor: pageParam }),
        },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    refetchInterval: whileOnePage(15_000),
  });

export const threadStatsQuery = (project: string, thread: string) =>
  queryOptions({
    queryKey: ['thread-stats', project, thread],
    queryFn: ({ signal }) =>
      traces.readThreadStats({
        params: { thread_id: thread },
        query: {
          session_id: project,
          selects: [
            'TURNS',
            'TOTAL_TOKENS',
            'TOTAL_COST',
            'LATENCY_P50',
            'FIRST_START_TIME',
            'LAST_END_TIME',
          ],
        },
        signal,
      }),
  });
