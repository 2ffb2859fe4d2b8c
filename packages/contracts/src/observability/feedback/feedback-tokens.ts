import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { queryInt, Uuid } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import {
  FeedbackComment,
  FeedbackCorrection,
  FeedbackKey,
  FeedbackScore,
  FeedbackValue,
} from './feedback.ts';
import { FeedbackConfig } from './feedback-configs.ts';
import { v1 } from '../mounts.ts';

/** Links that let anyone who has one give feedback on one run, without a key. */

const count = (max: number) => z.number().int().min(0).max(max).default(0);

/** A token lasts three hours by default. */
const TokenCreate = z
  .object({
    run_id: Uuid,
    feedback_key: FeedbackKey,
    expires_in: z.object({ days: count(365), hours: count(8760), minutes: count(525_600) }).nullish(),
    expires_at: WellFormedText.nullish(),
    feedback_config: FeedbackConfig.nullish(),
  })
  .meta({ id: 'FeedbackTokenCreate' });
export type FeedbackTokenCreate = z.output<typeof TokenCreate>;

export const FeedbackToken = z
  .object({
    /** The token itself: clients give feedback by it or by the address. */
    id: z.string(),
    url: z.string(),
    expires_at: z.string(),
    feedback_key: z.string(),
  })
  .meta({ id: 'FeedbackToken' });
export type FeedbackToken = z.output<typeof FeedbackToken>;

const params = z.object({ token: WellFormedText.max(100) });
const given = { status: 200, body: z.object({ message: z.string() }) } as const;
const path = '/feedback/tokens/{token}' as const;

export const feedbackTokens = {
  createFeedbackToken: endpoint({
    ...v1,
    // Traces come with feedback: a caller who sends them may let others give it.
    access: ['feedback:admin', 'traces:write'],
    method: 'POST',
    path: '/feedback/tokens',
    summary: 'Create links by which feedback on a run can be given without a key',
    errors: [409],
    body: z.union([TokenCreate, z.array(TokenCreate).min(1).max(100)]),
    success: { status: 200, body: z.union([FeedbackToken, z.array(FeedbackToken)]) },
    example: {
      body: {
        run_id: '0199d3a0-0000-7000-8000-00000000000a',
        feedback_key: 'helpful',
        expires_in: { days: 1, hours: 0, minutes: 0 },
      },
    },
  }),
  listFeedbackTokens: endpoint({
    ...v1,
    access: 'feedback:admin',
    method: 'GET',
    path: '/feedback/tokens',
    summary: 'List the links by which feedback on a run can be given',
    query: z.object({
      run_id: Uuid,
      limit: queryInt({ min: 1, max: 100, fallback: 100 }),
      offset: queryInt({ fallback: 0 }),
    }),
    success: { status: 200, body: z.array(FeedbackToken) },
    example: { query: { run_id: '0199d3a0-0000-7000-8000-00000000000a' } },
  }),
  giveFeedbackByLink: endpoint({
    ...v1,
    auth: 'token',
    method: 'GET',
    path,
    summary: 'Give feedback by a link',
    errors: [404],
    params,
    query: z.object({
      /** A number, `true` or `false`. */
      score: WellFormedText.max(100).optional(),
      value: FeedbackComment.optional(),
      comment: FeedbackComment.optional(),
      correction: FeedbackComment.optional(),
    }),
    success: given,
    example: { query: { score: '1', comment: 'Thank you' } },
  }),
  giveFeedbackWithBody: endpoint({
    ...v1,
    auth: 'token',
    method: 'POST',
    path,
    summary: 'Give feedback by a link, with a body',
    errors: [404],
    params,
    body: z
      .object({
        score: FeedbackScore.nullish(),
        value: FeedbackValue.nullish(),
        comment: FeedbackComment.nullish(),
        correction: FeedbackCorrection.nullish(),
        metadata: z.record(z.string(), z.unknown()).nullish(),
      })
      .meta({ id: 'FeedbackByToken' }),
    max_body_bytes: 262_144,
    success: given,
    example: { body: { score: 1, comment: 'Thank you' } },
  }),
};
