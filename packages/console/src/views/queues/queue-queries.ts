import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { traces } from '../../api/clients.ts';
import { rowsOf } from '../../api/pages.ts';
import type { Config } from './rubric-rules.ts';

export type Queue = Awaited<ReturnType<typeof traces.listAnnotationQueues>>[number];
export type QueueWithRubric = Awaited<ReturnType<typeof traces.readAnnotationQueue>>;
export type QueueItem = Awaited<ReturnType<typeof traces.listQueueItems>>['items'][number];
export type Run = Awaited<ReturnType<typeof traces.readRun>>;

const PAGE = 50;

export const queuesQuery = (words: string) =>
  infiniteQueryOptions({
    queryKey: ['queues', 'list', words],
    queryFn: ({ pageParam, signal }) =>
      traces.listAnnotationQueues({
        query: { limit: PAGE, offset: pageParam, ...(words !== '' && { name_contains: words }) },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.length < PAGE ? undefined : pages.length * PAGE),
    select: rowsOf,
    placeholderData: keepPreviousData,
  });

export const queueQuery = (queue_id: string) =>
  queryOptions({
    queryKey: ['queues', 'one', queue_id],
    queryFn: ({ signal }) => traces.readAnnotationQueue({ params: { queue_id }, signal }),
  });

/** How many items wait for the caller, for others, and are done. */
export const progressQuery = (queue_id: string) =>
  queryOptions({
    queryKey: ['queues', 'progress', queue_id],
    queryFn: async ({ signal }) => {
      const count = async (status: 'needs_my_review' | 'needs_others_review' | 'archived') =>
        (await traces.countQueueItems({ params: { queue_id }, query: { status }, signal })).count;
      const [mine, others, done] = await Promise.all([
        count('needs_my_review'),
        count('needs_others_review'),
        count('archived'),
      ]);
      return { mine, others, done };
    },
    refetchInterval: 15_000,
  });

/** An item of a queue and where it stands for the caller. The API lists items; a cursor begins the list with this one. */
export const itemQuery = (queue_id: string, item_id: string) =>
  queryOptions({
    queryKey: ['queues', 'item', queue_id, item_id],
    queryFn: async ({ signal }) => {
      const { section, cursor } = await traces.readQueueItemPlacement({
        params: { queue_id, item_id },
        signal,
      });
      const { items } = await traces.listQueueItems({
        params: { queue_id },
        query: { status: section, page_size: 1, ...(cursor !== null && { cursor }) },
        signal,
      });
      const item = items[0];
      return item === undefined ? null : { section, item };
    },
    refetchOnWindowFocus: false,
  });

/** The runs to review: one, or those of a conversation, oldest first. */
export const runsQuery = ({ run_id, thread_id, project_id }: QueueItem) =>
  queryOptions({
    queryKey: ['queues', 'runs', run_id, thread_id, project_id],
    queryFn: async ({ signal }): Promise<Run[]> => {
      if (run_id !== null) return [await traces.readRun({ params: { run_id }, query: {}, signal })];
      if (thread_id === null || project_id === null) return [];
      const filter = `eq(thread_id, ${JSON.stringify(thread_id)})`;
      const body = { session: [project_id], is_root: true, filter, limit: 100 };
      const { runs } = await traces.queryRuns({ body, signal });
      return runs.toReversed();
    },
  });

/** How feedback of these keys is scored. */
export const configsQuery = (keys: readonly string[]) =>
  queryOptions({
    queryKey: ['feedback configs', 'of keys', keys],
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, Config>> => {
      if (keys.length === 0) return new Map();
      const configs = await traces.listFeedbackConfigs({ query: { key: [...keys] }, signal });
      return new Map(configs.map((one) => [one.feedback_key, one.feedback_config]));
    },
  });

export const feedbackQuery = (run_id: string) =>
  queryOptions({
    queryKey: ['feedback', 'of run', run_id],
    queryFn: ({ signal }) => traces.listFeedback({ query: { run: [run_id] }, signal }),
  });
