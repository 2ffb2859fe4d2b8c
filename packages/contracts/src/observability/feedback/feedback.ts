import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { filterBy, queryFlag, queryInt, queryTexts, Uuid } from '../../values/query-values.ts';
import { RepairedText } from '../../values/repaired-text.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { FeedbackConfig } from './feedback-configs.ts';
import { v1 } from '../mounts.ts';

/** The feedback of people, programs and models on runs, or on a whole project. */

const Free = z.record(z.string(), z.unknown());

/** The key of feedback on a project or run, at most so many characters. */
export const FeedbackKey = WellFormedText.min(1).max(180);
/** Programs write these, so characters that cannot be stored are repaired instead of refused. */
export const FeedbackComment = RepairedText.max(65_536);
export const FeedbackScore = z.union([z.number().min(-1e15).max(1e15), z.boolean()]);
export const FeedbackValue = z.union([z.number(), z.boolean(), RepairedText.max(65_536), Free]);
export const FeedbackCorrection = z.union([RepairedText.max(65_536), Free]);
const FeedbackSource = z.object({
  type: WellFormedText.min(1).max(100).default('api'),
  metadata: Free.nullish(),
});

export const Feedback = z
  .object({
    id: z.string(),
    created_at: z.string(),
    modified_at: z.string(),
    key: z.string(),
    /** True and false are 1 and 0. */
    score: z.number().nullable(),
    value: z.unknown(),
    comment: z.string().nullable(),
    correction: z.unknown(),
    run_id: z.string().nullable(),
    session_id: z.string().nullable(),
    trace_id: z.string().nullable(),
    /** The start of the run; null until the run is there. */
    start_time: z.string().nullable(),
    is_root: z.boolean(),
    feedback_source: Free,
    feedback_group_id: z.string().nullable(),
    comparative_experiment_id: z.string().nullable(),
    error: z.boolean(),
    extra: Free.nullable(),
    feedback_thread_id: z.string().nullable(),
  })
  .meta({ id: 'Feedback' });
export type Feedback = z.output<typeof Feedback>;

export const FeedbackCreate = z
  .object({
    id: Uuid.nullish(),
    key: FeedbackKey,
    score: FeedbackScore.nullish(),
    value: FeedbackValue.nullish(),
    comment: FeedbackComment.nullish(),
    correction: FeedbackCorrection.nullish(),
    run_id: Uuid.nullish(),
    /** The project; without a run the feedback is on the project as a whole. */
    session_id: Uuid.nullish(),
    trace_id: Uuid.nullish(),
    feedback_source: FeedbackSource.nullish(),
    feedback_group_id: Uuid.nullish(),
    comparative_experiment_id: Uuid.nullish(),
    feedback_config: FeedbackConfig.nullish(),
    /** The spelling of one client. */
    feedbackConfig: FeedbackConfig.nullish(),
    error: z.boolean().nullish(),
    extra: Free.nullish(),
    /** The time at which it was given: an instant as text, or a number since 1970. */
    created_at: z.union([WellFormedText, z.number()]).nullish(),
    /** Whether its trace is kept as long as the long-lived ones. */
    extend_trace_retention: z.boolean().nullish(),
  })
  .meta({ id: 'FeedbackCreate' });
export type FeedbackCreate = z.output<typeof FeedbackCreate>;

/** An absent field stays as it is, a null one is removed. */
const FeedbackUpdate = FeedbackCreate.pick({
  score: true,
  value: true,
  comment: true,
  correction: true,
  feedback_config: true,
}).meta({ id: 'FeedbackUpdate' });

/** The filters of a list; any of several values matches. */
export const feedbackFilter = {
  run: filterBy(queryTexts(Uuid)),
  key: filterBy(queryTexts(WellFormedText)),
  session: filterBy(queryTexts(Uuid)),
  source: filterBy(queryTexts(WellFormedText)),
  user: filterBy(queryTexts(Uuid)),
  has_comment: queryFlag.optional(),
  has_score: queryFlag.optional(),
  /** `run`: on single runs; `session`: on projects as a whole. */
  level: z.enum(['run', 'session']).optional(),
  limit: queryInt({ min: 1, max: 100, fallback: 100 }),
  offset: queryInt({ fallback: 0 }),
};

const read = { ...v1, access: 'feedback:read' } as const;
const write = { ...v1, access: 'feedback:write' } as const;
const params = z.object({ feedback_id: Uuid });
const names = z.object({ include_user_names: queryFlag.default(false) });
const create = {
  ...write,
  method: 'POST',
  errors: [404, 409],
  body: FeedbackCreate,
  success: { status: 200, body: Feedback },
  example: {
    body: {
      run_id: '0199d3a0-0000-7000-8000-00000000000a',
      key: 'helpful',
      score: 1,
      comment: 'Answered in one turn.',
    },
  },
} as const;

export const feedback = {
  listFeedback: endpoint({
    ...read,
    method: 'GET',
    path: '/feedback',
    summary: 'List feedback, newest first',
    query: z.object({
      ...feedbackFilter,
      ...names.shape,
      min_created_at: WellFormedText.optional(),
      max_created_at: WellFormedText.optional(),
      comparative_experiment_id: Uuid.optional(),
    }),
    success: { status: 200, body: z.array(Feedback) },
    example: { query: { key: ['helpful'], has_score: 'true', limit: '20' } },
  }),
  createFeedback: endpoint({
    ...create,
    path: '/feedback',
    summary: 'Give feedback on a run, which may still be on its way, or on a project',
  }),
  createFeedbackEagerly: endpoint({
    ...create,
    path: '/feedback/eager',
    summary: 'Give feedback on a run that may still be on its way',
  }),
  readFeedback: endpoint({
    ...read,
    method: 'GET',
    path: '/feedback/{feedback_id}',
    summary: 'Read a piece of feedback',
    params,
    query: names,
    success: { status: 200, body: Feedback },
    example: { query: { include_user_names: 'true' } },
  }),
  patchFeedback: endpoint({
    ...write,
    method: 'PATCH',
    path: '/feedback/{feedback_id}',
    summary: 'Change a piece of feedback',
    errors: [409],
    params,
    body: FeedbackUpdate,
    success: { status: 200, body: Feedback },
    example: { body: { score: 0, comment: 'Answered another question.' } },
  }),
  deleteFeedback: endpoint({
    ...write,
    method: 'DELETE',
    path: '/feedback/{feedback_id}',
    summary: 'Delete a piece of feedback',
    params,
    success: { status: 200, body: z.object({ message: z.string() }) },
  }),
};
