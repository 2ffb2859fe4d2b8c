import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { Uuid } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { v1, v2, retiring } from '../mounts.ts';

/** Links by which anybody reads a trace or a thread, in both generations of the API. */

const RunShare = z.object({ run_id: z.string(), share_token: z.string() }).meta({ id: 'RunShare' });
const ShareToken = z.object({ share_token: z.string().optional() }).meta({ id: 'ShareToken' });

const run = z.object({ run_id: Uuid });
const thread = z.object({ thread_id: WellFormedText.max(1000) });
const read = { access: 'traces:read' } as const;
const admin = { access: 'traces:admin' } as const;
const project_id = '0199d3a0-0000-7000-8000-00000000000b';

export const shares = {
  readRunShare: endpoint({
    ...retiring,
    ...v1,
    ...read,
    method: 'GET',
    path: '/runs/{run_id}/share',
    summary: 'Read the share link of a run’s trace; null where there is none',
    params: run,
    success: { status: 200, body: RunShare.nullable() },
  }),
  shareRun: endpoint({
    ...retiring,
    ...v1,
    ...admin,
    method: 'PUT',
    path: '/runs/{run_id}/share',
    summary: 'Share a run’s trace by link; the token is made here, whichever was sent',
    params: run,
    success: { status: 200, body: RunShare },
  }),
  unshareRun: endpoint({
    ...retiring,
    ...v1,
    ...admin,
    method: 'DELETE',
    path: '/runs/{run_id}/share',
    summary: 'Stop sharing a run’s trace',
    params: run,
    success: { status: 200, body: z.object({ message: z.string() }) },
  }),
  shareRunV2: endpoint({
    ...v2,
    ...admin,
    method: 'POST',
    path: '/v2/runs/{run_id}/share',
    summary: 'Share a run’s trace by link',
    params: run,
    body: z.object({ session_id: Uuid.nullish(), trace_id: Uuid.nullish() }),
    success: { status: 200, body: ShareToken },
    example: { body: { session_id: project_id } },
  }),
  unshareRunV2: endpoint({
    ...v2,
    ...admin,
    method: 'DELETE',
    path: '/v2/runs/{run_id}/share',
    summary: 'Stop sharing a trace',
    params: run,
    success: { status: 204 },
  }),
  readThreadShare: endpoint({
    ...v2,
    ...read,
    method: 'GET',
    path: '/v2/threads/{thread_id}/share',
    summary: 'Read the share token of a thread; absent where there is none',
    params: thread,
    query: z.object({ project_id: Uuid }),
    success: { status: 200, body: ShareToken },
    example: { query: { project_id } },
  }),
  shareThread: endpoint({
    ...v2,
    ...admin,
    method: 'POST',
    path: '/v2/threads/{thread_id}/share',
    summary: 'Share a thread by link',
    params: thread,
    body: z.object({ project_id: Uuid }),
    success: { status: 200, body: ShareToken },
    example: { body: { project_id } },
  }),
  unshareThread: endpoint({
    ...v2,
    ...admin,
    method: 'DELETE',
    path: '/v2/threads/{thread_id}/share',
    summary: 'Stop sharing a thread',
    params: thread,
    query: z.object({ project_id: Uuid }),
    success: { status: 204 },
    example: { query: { project_id } },
  }),
};
