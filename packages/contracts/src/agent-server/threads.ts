import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { filterBy, Timestamp, Uuid } from '../values/query-values.ts';
import { JsonObject, JsonValue, WellFormedText } from '../values/well-formed-text.ts';
import { page, SortOrder, ThreadId } from './langgraph-shapes.ts';
import { ThreadStatus } from './statuses.ts';

/** Threads of the LangGraph API: conversations and their state. */

const invoke = { access: 'agents:invoke' } as const;
const params = z.object({ thread_id: ThreadId });
/** A written state may be large, and so may metadata; both are checked as a whole. */
const large = { max_body_values: 100_000 } as const;

const Interrupts = z.record(z.string(), z.array(z.looseObject({ value: z.unknown() })));
/** Why the last run failed or was cancelled; `error` and `name` are the same. */
const ThreadError = z.object({ error: z.string(), name: z.string(), message: z.string() });
const thread = {
  thread_id: Uuid,
  created_at: Timestamp,
  updated_at: Timestamp,
  state_updated_at: Timestamp,
  metadata: JsonObject,
  config: JsonObject,
  status: ThreadStatus,
  /** Null where no run has written a state yet. */
  values: z.unknown(),
  /** Open questions, by the task that asks. */
  interrupts: Interrupts,
  error: ThreadError.nullable(),
};
const Thread = z
  .object({
    ...thread,
    /** The values that `extract` asked for. */
    extracted: z.record(z.string(), z.unknown()).optional(),
    /** The lifetime, with `include=ttl`, where it has one. */
    ttl: z
      .object({
        strategy: z.enum(['delete', 'keep_latest']),
        ttl_minutes: z.number(),
        expires_at: Timestamp,
      })
      .optional(),
  })
  .meta({ id: 'Thread' });
/** `context` is a name that clients know and that means nothing of a thread. */
export const ThreadField = z.enum([...Object.keys(thread), 'context'] as [keyof typeof thread, 'context']);
export type ThreadField = z.output<typeof ThreadField>;

/** The longest lifetime: a hundred years. */
const MAX_MINUTES = 52_560_000;
const Ttl = z.object({
  strategy: z.enum(['delete', 'keep_latest']).nullish(),
  /** The lifetime in minutes from now. */
  ttl: z.number().min(0).max(MAX_MINUTES),
});
export type ThreadTtlRequest = z.output<typeof Ttl>;

/** A command to a graph instead of an input. */
const Command = z.object({
  update: z.union([JsonObject, z.array(JsonValue)]).nullish(),
  resume: JsonValue.optional(),
  goto: JsonValue.optional(),
});
const Superstep = z.object({
  updates: z
    .array(
      z.object({
        values: JsonValue.optional(),
        command: Command.nullish(),
        as_node: WellFormedText.min(1).max(1024).nullish(),
      }),
    )
    .max(1000),
});

const filter = {
  metadata: JsonObject.nullish(),
  values: JsonObject.nullish().describe(
    'What the state contains. Of threads whose last run did not bring it the 100 that changed last are looked at',
  ),
  status: ThreadStatus.nullish(),
};
const MAX_IDS = 1000;
const Ids = z.array(ThreadId).max(MAX_IDS);

const Bytes = z.object({ count: z.int(), bytes: z.int() });

export const threadEndpoints = {
  createThread: endpoint({
    ...invoke,
    ...large,
    method: 'POST',
    path: '/threads',
    summary: 'Create a thread; `supersteps` write its state, as the graph in `metadata.graph_id` would have',
    body: z
      .object({
        thread_id: ThreadId.nullish(),
        metadata: JsonObject.nullish(),
        if_exists: z.enum(['raise', 'do_nothing']).nullish(),
        ttl: Ttl.nullish(),
        supersteps: z.array(Superstep).max(1000).nullish(),
      })
      .meta({ id: 'ThreadCreate' }),
    errors: [404, 409],
    success: { status: 200, body: Thread },
    example: { body: { metadata: { graph_id: 'agent', customer: 'c-17' } } },
  }),
  searchThreads: endpoint({
    ...invoke,
    method: 'POST',
    path: '/threads/search',
    summary:
      'Find threads, last changed first; `X-Pagination-Next` is the offset of the next page, where there is one, and `X-Pagination-Total` how many there are, counted to 10,000 behind the page',
    body: z.object({
      ...filter,
      ...page,
      ids: filterBy(Ids.nullable()),
      sort_by: z.enum(['thread_id', 'status', 'created_at', 'updated_at', 'state_updated_at']).nullish(),
      sort_order: SortOrder.nullish(),
      select: filterBy(z.array(ThreadField).nullable()),
      /** Paths by names of the caller's choice, such as `values.messages[-1].content`. */
      extract: z
        .record(WellFormedText.min(1).max(256), WellFormedText.max(1024))
        .refine((paths) => Object.keys(paths).length <= 10, 'must hold at most 10 paths')
        .nullish(),
    }),
    success: { status: 200, body: z.array(Thread.partial()) },
    example: {
      body: { metadata: { customer: 'c-17' }, status: 'interrupted', select: ['thread_id', 'interrupts'] },
    },
  }),
  countThreads: endpoint({
    ...invoke,
    method: 'POST',
    path: '/threads/count',
    summary: 'Count threads',
    body: z.object(filter),
    success: { status: 200, body: z.int() },
    example: { body: { status: 'idle' } },
  }),
  pruneThreads: endpoint({
    ...invoke,
    method: 'POST',
    path: '/threads/prune',
    summary: 'Delete threads, or all states but the newest of each; unknown ids are ignored',
    body: z.object({ thread_ids: Ids, strategy: z.enum(['delete', 'keep_latest']).nullish() }),
    success: { status: 200, body: z.object({ pruned_count: z.int() }) },
    example: { body: { thread_ids: ['0199d3a0-0000-7000-8000-000000000001'], strategy: 'keep_latest' } },
  }),
  readThread: endpoint({
    ...invoke,
    method: 'GET',
    path: '/threads/{thread_id}',
    summary: 'Read a thread',
    params,
    query: z.object({ include: WellFormedText.optional() }),
    success: { status: 200, body: Thread },
    example: { query: { include: 'ttl' } },
  }),
  patchThread: endpoint({
    ...invoke,
    method: 'PATCH',
    path: '/threads/{thread_id}',
    summary: 'Merge metadata into a thread, or limit its life; `Prefer: return=minimal` answers without it',
    params,
    body: z.object({ metadata: JsonObject.nullish(), ttl: Ttl.nullish() }),
    success: { status: 200, or: 204, body: Thread },
    example: { body: { metadata: { topic: 'tides' }, ttl: { ttl: 1440, strategy: 'delete' } } },
  }),
  deleteThread: endpoint({
    ...invoke,
    method: 'DELETE',
    path: '/threads/{thread_id}',
    summary: 'Delete a thread with its state, runs and tasks; what runs is cancelled',
    params,
    errors: [409],
    success: { status: 204 },
  }),
  copyThread: endpoint({
    ...invoke,
    method: 'POST',
    path: '/threads/{thread_id}/copy',
    summary: 'Copy a thread with its state and history',
    params,
    success: { status: 200, body: Thread },
  }),
  readThreadStorage: endpoint({
    ...invoke,
    method: 'GET',
    path: '/threads/{thread_id}/storage',
    summary: 'How many bytes the state and history of a thread take',
    params,
    success: {
      status: 200,
      body: z
        .object({
          thread_id: Uuid,
          total_bytes: z.int(),
          checkpoints: Bytes,
          channel_values: Bytes.extend({
            by_channel: z.record(z.string(), z.object({ versions: z.int(), bytes: z.int() })),
          }),
          pending_writes: Bytes,
        })
        .meta({ id: 'ThreadStorage' }),
    },
  }),
};
