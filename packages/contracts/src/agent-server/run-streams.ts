import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { filterBy, queryFlag, Uuid } from '../values/query-values.ts';
import { RunCreate, ThreadRunCreate } from './run-create.ts';
import { queryModes, StreamMode, ThreadStreamMode } from './stream-modes.ts';
import { AGENT_ACCESS, CREATES } from './runs.ts';

const ofThread = z.object({ thread_id: Uuid });
const ofRun = z.object({ thread_id: Uuid, run_id: Uuid });
const ofStatelessRun = z.object({ run_id: Uuid });

const eventStream = { status: 200, media_types: ['text/event-stream'] } as const;
const following = z.object({
  /** The modes whose events are sent; by default all that the run was created with. */
  stream_mode: filterBy(queryModes(StreamMode)),
  cancel_on_disconnect: queryFlag.default(false),
});
const example = {
  body: { assistant_id: 'agent', input: { messages: [{ role: 'user', content: 'Hello' }] } },
};

export const runStreamEndpoints = {
  streamThreadRun: endpoint({
    method: 'POST',
    path: '/threads/{thread_id}/runs/stream',
    summary: 'Start a run on a thread and stream its events',
    ...CREATES,
    params: ofThread,
    body: ThreadRunCreate,
    success: eventStream,
    errors: [409],
    example,
  }),
  followThreadRun: endpoint({
    method: 'GET',
    path: '/threads/{thread_id}/runs/{run_id}/stream',
    summary: 'Stream the events of a run, from its beginning or from after `Last-Event-ID`',
    ...AGENT_ACCESS,
    params: ofRun,
    query: following,
    success: eventStream,
    example: { query: { stream_mode: 'values' } },
  }),
  followThread: endpoint({
    method: 'GET',
    path: '/threads/{thread_id}/stream',
    summary: 'Stream the events of a thread, run after run, until the client leaves',
    ...AGENT_ACCESS,
    params: ofThread,
    query: z.object({
      stream_mode: filterBy(queryModes(ThreadStreamMode)),
      stream_modes: filterBy(queryModes(ThreadStreamMode)),
    }),
    success: eventStream,
    example: { query: { stream_mode: 'lifecycle' } },
  }),
  streamRun: endpoint({
    method: 'POST',
    path: '/runs/stream',
    summary: 'Start a run without a thread and stream its events',
    ...CREATES,
    body: RunCreate,
    success: eventStream,
    errors: [404],
    example,
  }),
  followRun: endpoint({
    method: 'GET',
    path: '/runs/{run_id}/stream',
    summary: 'Stream the events of a run without a thread',
    ...AGENT_ACCESS,
    params: ofStatelessRun,
    query: following,
    success: eventStream,
    example: { query: { stream_mode: 'values' } },
  }),
};
