import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
  queryOptions,
} from '@tanstack/react-query';
import { traces } from '../../api/clients.ts';
import { mergedRuns, readNewest } from './live-rules.ts';
import { bucketWidth, rangeOf, type TraceListSearch } from './trace-list-search.ts';

export type RunRow = Awaited<ReturnType<typeof traces.queryRunsV2>>['items'][number];

/** Which runs of which project. */
export interface RunQuestion {
  readonly project: string;
  readonly search: Omit<TraceListSearch, 'live'>;
}

const SELECTS = [
  'ID',
  'NAME',
  'RUN_TYPE',
  'STATUS',
  'START_TIME',
  'LATENCY_SECONDS',
  'ERROR_PREVIEW',
  'INPUTS_PREVIEW',
  'OUTPUTS_PREVIEW',
  'TOTAL_TOKENS',
  'TOTAL_COST',
  'FIRST_TOKEN_TIME',
  'TAGS',
  'TRACE_ID',
  'FEEDBACK_STATS',
];
const PAGE = 100;

const instantOf = (ms: number) => new Date(ms).toISOString();

function bodyOf({ project, search }: RunQuestion, cursor: string | undefined) {
  const { from_ms, to_ms } = rangeOf(search, Date.now());
  return {
    project_ids: [project],
    ...(search.runs === undefined && { is_root: true }),
    ...(search.filter !== undefined && { filter: search.filter }),
    ...(cursor !== undefined && { cursor }),
    min_start_time: instantOf(from_ms),
    // An open end also shows what began while one looks.
    ...((search.to !== undefined || search.from !== undefined) && { max_start_time: instantOf(to_ms) }),
    selects: SELECTS,
    page_size: PAGE,
  };
}

export const runsQuery = (question: RunQuestion) =>
  infiniteQueryOptions({
    queryKey: ['runs', question],
    queryFn: ({ pageParam, signal }) => traces.queryRunsV2({ body: bodyOf(question, pageParam), signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    staleTime: 30_000,
  });

const LIVE_MS = 2000;

/** So many runs are kept of those that come while one looks. */
const MOST_LIVE = 5000;

/** The newest runs, again and again, and all that came since the list was read. */
export const newestRunsQuery = (question: RunQuestion, isLive: boolean) =>
  queryOptions({
    queryKey: ['newest-runs', question],
    queryFn: async ({ client, queryKey, signal }): Promise<readonly RunRow[]> => {
      const before = client.getQueryData<readonly RunRow[]>(queryKey) ?? [];
      const listed = client.getQueryData(runsQuery(question).queryKey)?.pages.flatMap(({ items }) => items);
      const newest = await readNewest(
        (cursor) => traces.queryRunsV2({ body: bodyOf(question, cursor), signal }),
        listed && new Set([...before, ...listed].map(({ id }) => id)),
      );
      const all = mergedRuns(newest.rows, before);
      if (!newest.has_gap && all.length <= MOST_LIVE) return all;
      renewRuns(client, question);
      return newest.rows;
    },
    enabled: isLive,
    refetchInterval: LIVE_MS,
    staleTime: 0,
  });

/** Reads the list again from its beginning. */
export function renewRuns(client: QueryClient, question: RunQuestion): void {
  const { queryKey } = runsQuery(question);
  client.setQueryData(queryKey, (data) => data && firstPage(data));
  void client.invalidateQueries({ queryKey });
}

const firstPage = <Pages extends InfiniteData<unknown, unknown>>(data: Pages): Pages => ({
  ...data,
  pages: data.pages.slice(0, 1),
  pageParams: data.pageParams.slice(0, 1),
});

/** How many runs there were over time, and how many failed. */
export const histogramQuery = ({ project, search }: RunQuestion, isLive: boolean) =>
  queryOptions({
    queryKey: ['histogram', project, search],
    queryFn: async ({ signal }) => {
      const range = rangeOf(search, Date.now());
      const { series, bucket_s, ...period } = await traces.querySeries({
        body: {
          project_ids: [project],
          runs: search.runs === 'all' ? 'all' : 'roots',
          filter: search.filter ?? null,
          start_time: instantOf(range.from_ms),
          end_time: instantOf(range.to_ms + 1),
          bucket_s: bucketWidth(range),
          select: [],
          compare: false,
        },
        signal,
      });
      const all = series.find(({ kind }) => kind === 'all');
      return { bucket_s, from_ms: Date.parse(period.start_time), to_ms: Date.parse(period.end_time), all };
    },
    placeholderData: keepPreviousData,
    refetchInterval: isLive ? 5000 : false,
    staleTime: 30_000,
  });
export type Histogram = NonNullable<
  Awaited<ReturnType<ReturnType<typeof histogramQuery>['queryFn'] & object>>
>;
