import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { filterBy, queryFlag, queryInt, queryList, Uuid } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { Feedback } from '../feedback/feedback.ts';
import { v1, v2, retiring } from '../mounts.ts';
import { Run, RunQuery } from './runs.ts';
import { RunSelect, RunV2 } from './runs-v2.ts';

/** Links by which anybody reads a trace or a thread, in both generations of the API. */

const RunShare = z.object({ run_id: z.string(), share_token: z.string() }).meta({ id: 'RunShare' });
const ShareToken = z.object({ share_token: z.string().optional() }).meta({ id: 'ShareToken' });
/** The fields that answers through links omit: the trace's project and how it is stored. */
export const privateRunFields = [
  'session_id',
  'app_path',
  'last_queued_at',
  'in_dataset',
  'share_token',
  'trace_tier',
  'ttl_seconds',
  'reference_example_id',
  'reference_dataset_id',
] as const;
const SharedRun = Run.omit(
  Object.fromEntries(privateRunFields.map((name) => [name, true])) as Record<
    (typeof privateRunFields)[number],
    true
  >,
).meta({ id: 'SharedRun' });

const run = z.object({ run_id: Uuid });
const thread = z.object({ thread_id: WellFormedText.max(1000) });
const token = z.object({ share_token: WellFormedText });
const read = { access: 'traces:read' } as const;
const admin = { access: 'traces:admin' } as const;
const shared = { auth: 'token', errors: [404] } as const;
const project_id = '0199d3a0-0000-7000-8000-00000000000b';
const aside = z.object({ exclude_s3_stored_attributes: queryFlag.optional() });

const ownLinks = {
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

const sharedReads = {
  readSharedRunPage: endpoint({
    ...shared,
    method: 'GET',
    path: '/public/{share_token}/r',
    summary: 'What a share link leads to: the root run, as JSON',
    params: token,
    success: { status: 200, body: SharedRun },
  }),
  readSharedRun: endpoint({
    ...retiring,
    ...v1,
    ...shared,
    method: 'GET',
    path: '/public/{share_token}/run',
    summary: 'Read the root run of a shared trace',
    params: token,
    query: aside,
    success: { status: 200, body: SharedRun },
    example: { query: { exclude_s3_stored_attributes: 'true' } },
  }),
  readSharedChildRun: endpoint({
    ...retiring,
    ...v1,
    ...shared,
    method: 'GET',
    path: '/public/{share_token}/run/{id}',
    summary: 'Read a run of a shared trace',
    params: token.extend({ id: Uuid }),
    query: aside,
    success: { status: 200, body: SharedRun },
    example: { query: { exclude_s3_stored_attributes: 'true' } },
  }),
  listSharedRuns: endpoint({
    ...retiring,
    ...v1,
    ...shared,
    method: 'GET',
    path: '/public/{share_token}/runs',
    summary: 'List runs of a shared trace',
    params: token,
    query: z.object({
      id: filterBy(queryList(Uuid)),
      limit: queryInt({ min: 1, max: 100, fallback: 100 }),
    }),
    success: { status: 200, body: z.array(SharedRun) },
    example: { query: { limit: '20' } },
  }),
  querySharedRuns: endpoint({
    ...retiring,
    ...v1,
    ...shared,
    method: 'POST',
    path: '/public/{share_token}/runs/query',
    summary: 'Query the runs of a shared trace',
    errors: [404],
    params: token,
    body: RunQuery,
    success: {
      status: 200,
      body: z.object({
        runs: z.array(SharedRun),
        cursors: z.object({ next: z.string().nullable(), prev: z.string().nullable() }),
      }),
    },
    example: { body: { limit: 100 } },
  }),
  listSharedRunFeedback: endpoint({
    ...v1,
    ...shared,
    method: 'GET',
    path: '/public/{share_token}/feedbacks',
    summary: 'List the feedback on a shared trace, newest first; not by whom',
    params: token,
    query: z.object({
      run: filterBy(queryList(Uuid)),
      key: filterBy(queryList(WellFormedText)),
      limit: queryInt({ min: 1, max: 100, fallback: 100 }),
      offset: queryInt({ fallback: 0 }),
    }),
    success: { status: 200, body: z.array(Feedback) },
    example: { query: { key: ['helpful'], limit: '20' } },
  }),
  readSharedRunV2: endpoint({
    ...v2,
    ...shared,
    method: 'GET',
    path: '/v2/public/{share_token}/run/{run_id}',
    summary: 'Read a run of a shared trace',
    params: token.extend({ run_id: Uuid }),
    query: z.object({
      start_time: WellFormedText.optional(),
      selects: filterBy(queryList(RunSelect)),
    }),
    success: { status: 200, body: RunV2 },
    example: { query: { selects: ['NAME', 'INPUTS'] } },
  }),
  querySharedRunsV2: endpoint({
    ...v2,
    ...shared,
    method: 'POST',
    path: '/v2/public/{share_token}/runs/query',
    summary: 'List the runs of a shared trace, oldest first',
    params: token,
    body: z.object({ selects: filterBy(z.array(RunSelect).nullable()) }),
    success: { status: 200, body: z.object({ items: z.array(RunV2) }) },
    example: { body: { selects: ['ID', 'NAME'] } },
  }),
};

export const shares = { ...ownLinks, ...sharedReads };
