import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { filterBy, queryFlag, queryInt, queryList, Uuid } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { Feedback } from '../feedback/feedback.ts';
import { v1, v2, retiring } from '../mounts.ts';
import { Run, RunQuery } from './runs.ts';
import { RunSelect, RunV2 } from './runs-v2.ts';

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

const token = z.object({ share_token: WellFormedText });
const shared = { auth: 'token', errors: [404] } as const;
const aside = z.object({ exclude_s3_stored_attributes: queryFlag.optional() });

export const sharedRuns = {
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
