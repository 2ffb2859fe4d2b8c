import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { filterBy, queryFlag, queryInt, queryList, Uuid } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { Feedback, feedbackFilter } from '../feedback/feedback.ts';
import { v1 } from '../mounts.ts';
import { TracerSession } from '../sessions/sessions.ts';

const token = z.object({ share_token: WellFormedText });
const shared = { ...v1, auth: 'token', errors: [404] } as const;
const sessionQuery = z.object({
  id: filterBy(queryList(Uuid)),
  name: WellFormedText.optional(),
  name_contains: WellFormedText.optional(),
  sort_by: z
    .enum([
      'name',
      'start_time',
      'last_run_start_time',
      'latency_p50',
      'latency_p99',
      'error_rate',
      'runs_count',
    ])
    .default('start_time'),
  sort_by_desc: queryFlag.default(true),
  offset: queryInt({ fallback: 0 }),
  limit: queryInt({ min: 1, max: 100, fallback: 100 }),
});

export const sharedExperiments = {
  listSharedExperiments: endpoint({
    ...shared,
    method: 'GET',
    path: '/public/{share_token}/datasets/sessions',
    summary: 'List the experiments of a shared dataset, where they are shared with it',
    params: token,
    query: sessionQuery,
    success: { status: 200, body: z.array(TracerSession) },
    example: { query: { limit: '20' } },
  }),
  listSharedExperimentsInBulk: endpoint({
    ...shared,
    method: 'GET',
    path: '/public/datasets/sessions-bulk',
    summary: 'List the experiments of several shared datasets',
    query: z.object({ share_tokens: queryList(WellFormedText).refine((all) => all.length <= 100) }),
    success: { status: 200, body: z.array(TracerSession) },
    example: { query: { share_tokens: ['0199d3a0-0000-4000-8000-00000000000b'] } },
  }),
  listSharedDatasetFeedback: endpoint({
    ...shared,
    method: 'GET',
    path: '/public/{share_token}/datasets/feedback',
    summary: 'List the feedback on a shared dataset’s experiments and their runs, newest first',
    params: token,
    query: z.object(feedbackFilter).omit({ user: true }),
    success: { status: 200, body: z.array(Feedback) },
    example: { query: { key: ['helpful'], limit: '20' } },
  }),
};
