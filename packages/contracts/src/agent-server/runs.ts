import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { filterBy, queryFlag, queryInt, Timestamp, Uuid } from '../values/query-values.ts';
import { JsonObject } from '../values/well-formed-text.ts';
import { RunCreate, ThreadRunCreate } from './run-create.ts';
import { queryModes } from './stream-modes.ts';
import { RunStatus } from './statuses.ts';

/** Runs of the LangGraph API: on a thread, or without one. */

export const AGENT_ACCESS = { access: 'agents:invoke' } as const;
/** An input's values are read, stored and handed to a graph host; the schema looks at few of them. */
export const CREATES = { ...AGENT_ACCESS, max_body_bytes: 26_214_400, max_body_values: 100_000 } as const;
const MAX_BATCH = 100;

const ofThread = z.object({ thread_id: Uuid });
const ofRun = z.object({ thread_id: Uuid, run_id: Uuid });
const ofStatelessRun = z.object({ run_id: Uuid });
/** The final state; blank lines before it keep the connection open. */
const finalState = { status: 200, media_types: ['application/json'] } as const;

const RunFields = {
  run_id: Uuid,
  thread_id: Uuid,
  assistant_id: Uuid,
  created_at: Timestamp,
  updated_at: Timestamp,
  status: RunStatus,
  metadata: JsonObject,
  kwargs: z.record(z.string(), z.unknown()),
  multitask_strategy: z.enum(['enqueue', 'reject', 'interrupt', 'rollback']),
  /** The project that it is traced to; null where it is not traced. */
  langsmith_session_name: z.string().nullable(),
};
const Run = z.object(RunFields).meta({ id: 'AgentRun' });
const RunField = z.enum(Object.keys(RunFields) as [keyof typeof RunFields]);

const CancelAction = z.enum(['interrupt', 'rollback']);
const example = {
  body: { assistant_id: 'agent', input: { messages: [{ role: 'user', content: 'Hello' }] } },
};

export const runEndpoints = {
  createThreadRun: endpoint({
    method: 'POST',
    path: '/threads/{thread_id}/runs',
    summary: 'Start a run on a thread and leave it running',
    ...CREATES,
    params: ofThread,
    body: ThreadRunCreate,
    success: { status: 200, body: Run },
    errors: [409],
    example,
  }),
  waitForThreadRun: endpoint({
    method: 'POST',
    path: '/threads/{thread_id}/runs/wait',
    summary: 'Start a run on a thread and wait for its final state',
    ...CREATES,
    params: ofThread,
    body: ThreadRunCreate,
    success: finalState,
    errors: [409],
    example,
  }),
  listThreadRuns: endpoint({
    method: 'GET',
    path: '/threads/{thread_id}/runs',
    summary: 'The runs of a thread, newest first',
    ...AGENT_ACCESS,
    params: ofThread,
    query: z.object({
      limit: queryInt({ min: 1, max: 1000, fallback: 10 }),
      offset: queryInt({ fallback: 0 }),
      status: RunStatus.optional(),
      select: filterBy(queryModes(RunField)),
    }),
    success: { status: 200, body: z.array(Run.partial()) },
    example: { query: { limit: '20', status: 'success' } },
  }),
  readThreadRun: endpoint({
    method: 'GET',
    path: '/threads/{thread_id}/runs/{run_id}',
    summary: 'One run of a thread',
    ...AGENT_ACCESS,
    params: ofRun,
    success: { status: 200, body: Run },
  }),
  deleteThreadRun: endpoint({
    method: 'DELETE',
    path: '/threads/{thread_id}/runs/{run_id}',
    summary: 'Remove a run that has ended, with its events; what it did to the thread stays',
    ...AGENT_ACCESS,
    params: ofRun,
    success: { status: 204 },
    errors: [409],
  }),
  joinThreadRun: endpoint({
    method: 'GET',
    path: '/threads/{thread_id}/runs/{run_id}/join',
    summary: 'Wait for the final state of a run',
    ...AGENT_ACCESS,
    params: ofRun,
    query: z.object({ cancel_on_disconnect: queryFlag.default(false) }),
    success: finalState,
    example: { query: { cancel_on_disconnect: 'true' } },
  }),
  cancelThreadRun: endpoint({
    method: 'POST',
    path: '/threads/{thread_id}/runs/{run_id}/cancel',
    summary: 'Cancel a run; `rollback` also removes it and what it wrote',
    ...AGENT_ACCESS,
    params: ofRun,
    query: z.object({ wait: queryFlag.default(false), action: CancelAction.default('interrupt') }),
    success: { status: 202, or: 204 },
    example: { query: { wait: 'true', action: 'rollback' } },
  }),
  createRun: endpoint({
    method: 'POST',
    path: '/runs',
    summary: 'Start a run without a thread and leave it running',
    ...CREATES,
    body: RunCreate,
    success: { status: 200, body: Run },
    errors: [404],
    example,
  }),
  waitForRun: endpoint({
    method: 'POST',
    path: '/runs/wait',
    summary: 'Start a run without a thread and wait for its final state',
    ...CREATES,
    body: RunCreate,
    success: finalState,
    errors: [404],
    example,
  }),
  createRuns: endpoint({
    method: 'POST',
    path: '/runs/batch',
    summary: `Start up to ${MAX_BATCH} runs without threads`,
    ...CREATES,
    body: z.array(RunCreate).min(1).max(MAX_BATCH),
    success: { status: 200, body: z.array(Run) },
    errors: [404],
    example: { body: [example.body] },
  }),
  cancelRuns: endpoint({
    method: 'POST',
    path: '/runs/cancel',
    summary: 'Cancel runs of a thread, or all that are pending or running',
    ...AGENT_ACCESS,
    query: z.object({ action: CancelAction.default('interrupt') }),
    body: z
      .object({
        thread_id: Uuid.nullish(),
        run_ids: z.array(Uuid).min(1).max(MAX_BATCH).nullish(),
        status: z.enum(['pending', 'running', 'all']).nullish(),
      })
      .refine(({ run_ids, status }) => (run_ids ?? status ?? null) !== null, 'run_ids or status is required')
      .refine(
        ({ run_ids, status }) => (run_ids ?? null) === null || (status ?? null) === null,
        'run_ids and status exclude each other',
      )
      .refine(
        ({ run_ids, thread_id }) => (run_ids ?? null) === null || (thread_id ?? null) !== null,
        'run_ids need the thread_id that they belong to',
      ),
    success: { status: 204 },
    errors: [404],
    example: { query: { action: 'interrupt' }, body: { status: 'all' } },
  }),
  joinRun: endpoint({
    method: 'GET',
    path: '/runs/{run_id}/join',
    summary: 'Wait for the final state of a run without a thread',
    ...AGENT_ACCESS,
    params: ofStatelessRun,
    query: z.object({ cancel_on_disconnect: queryFlag.default(false) }),
    success: finalState,
    example: { query: { cancel_on_disconnect: 'true' } },
  }),
};
