import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { queryFlag, queryInt } from '../values/query-values.ts';
import { JsonObject, JsonValue, WellFormedText } from '../values/well-formed-text.ts';
import { RequestedCheckpoint, ThreadId } from './langgraph-shapes.ts';

/** The state of threads in the LangGraph API: now, at a checkpoint, and step by step. */

const invoke = { access: 'agents:invoke' } as const;
const params = z.object({ thread_id: ThreadId });
const subgraphs = z.object({ subgraphs: queryFlag.default(false) });

const Checkpoint = z.looseObject({
  checkpoint_id: z.string().nullish(),
  checkpoint_ns: z.string().nullish(),
});
const ThreadState = z
  .object({
    values: z.unknown(),
    next: z.array(z.string()),
    tasks: z.array(z.looseObject({ id: z.string(), name: z.string() })),
    /** Null where the thread has no state yet. */
    checkpoint: Checkpoint.nullable(),
    parent_checkpoint: Checkpoint.nullable(),
    metadata: z.record(z.string(), z.unknown()),
    created_at: z.string().nullable(),
    interrupts: z.array(z.looseObject({ value: z.unknown() })),
    /** Older clients look here for the ids of both checkpoints. */
    checkpoint_id: z.string().nullable(),
    parent_checkpoint_id: z.string().nullable(),
  })
  .meta({ id: 'ThreadState' });

/** The new checkpoint, under each name by which clients look for it. */
const WrittenState = z.object({
  checkpoint: Checkpoint,
  configurable: Checkpoint,
  checkpoint_id: z.string().nullable(),
});

const MAX_STATES = 1000;
const history = { status: 200, body: z.array(ThreadState) } as const;

export const threadStateEndpoints = {
  readThreadState: endpoint({
    ...invoke,
    method: 'GET',
    path: '/threads/{thread_id}/state',
    summary: 'The newest state of a thread',
    params,
    query: subgraphs,
    success: { status: 200, body: ThreadState },
    example: { query: { subgraphs: 'true' } },
  }),
  readThreadStateAt: endpoint({
    ...invoke,
    method: 'GET',
    path: '/threads/{thread_id}/state/{checkpoint_id}',
    summary: 'The state of a thread at a checkpoint',
    params: params.extend({ checkpoint_id: WellFormedText.max(256) }),
    query: subgraphs,
    success: { status: 200, body: ThreadState },
    example: { query: { subgraphs: 'true' } },
  }),
  findThreadState: endpoint({
    ...invoke,
    method: 'POST',
    path: '/threads/{thread_id}/state/checkpoint',
    summary: 'The state of a thread, or of a subgraph in it, at a checkpoint',
    params,
    body: z.object({
      checkpoint: RequestedCheckpoint.nullish(),
      subgraphs: z.union([z.boolean(), queryFlag]).nullish(),
    }),
    success: { status: 200, body: ThreadState },
    example: { body: { checkpoint: { checkpoint_ns: '' }, subgraphs: true } },
  }),
  updateThreadState: endpoint({
    ...invoke,
    max_body_values: 100_000,
    method: 'POST',
    path: '/threads/{thread_id}/state',
    summary: 'Write values into the state of a thread, as if a node had returned them',
    params,
    body: z
      .object({
        values: z.union([JsonObject, z.array(JsonValue)]).nullish(),
        as_node: WellFormedText.min(1).max(1024).nullish(),
        checkpoint: RequestedCheckpoint.nullish(),
        checkpoint_id: WellFormedText.max(256).nullish(),
      })
      .meta({ id: 'ThreadStateUpdate' }),
    errors: [409],
    success: { status: 200, body: WrittenState },
    example: {
      body: { values: { messages: [{ role: 'assistant', content: 'Noted.' }] }, as_node: 'agent' },
    },
  }),
  patchThreadState: endpoint({
    ...invoke,
    method: 'PATCH',
    path: '/threads/{thread_id}/state',
    summary: 'Merge metadata into the newest checkpoint of a thread',
    params,
    body: z.object({ metadata: JsonObject }),
    success: { status: 204 },
    example: { body: { metadata: { reviewed: true } } },
  }),
  listThreadStates: endpoint({
    ...invoke,
    method: 'GET',
    path: '/threads/{thread_id}/history',
    summary: 'States of a thread, the newest first',
    params,
    query: z.object({
      limit: queryInt({ min: 1, max: MAX_STATES, fallback: 10 }),
      before: WellFormedText.max(256).optional(),
    }),
    success: history,
    example: { query: { limit: '10' } },
  }),
  searchThreadStates: endpoint({
    ...invoke,
    method: 'POST',
    path: '/threads/{thread_id}/history',
    summary: 'States of a thread, or of a subgraph in it, the newest first; by metadata of their steps',
    params,
    body: z.object({
      limit: z.int().min(1).max(MAX_STATES).nullish(),
      /** A checkpoint, its id, or a configuration that names it. */
      before: z
        .union([
          WellFormedText.max(256),
          RequestedCheckpoint.extend({ configurable: RequestedCheckpoint.nullish() }),
        ])
        .nullish(),
      metadata: JsonObject.nullish(),
      checkpoint: RequestedCheckpoint.nullish(),
    }),
    success: history,
    example: { body: { limit: 10, metadata: { source: 'loop' } } },
  }),
};
