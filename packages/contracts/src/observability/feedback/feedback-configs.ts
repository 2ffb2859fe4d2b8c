import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { filterBy, queryFlag, queryInt, queryTexts } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { v1 } from '../mounts.ts';

/** The configuration of a key's feedback. */

const number = z.number().nullish();

const Category = z.object({ value: z.number(), label: WellFormedText.min(1).max(1000).nullish() });

export const FeedbackConfig = z
  .object({
    type: z.enum(['continuous', 'categorical', 'freeform']),
    /** Bounds of a continuous score. */
    min: number,
    max: number,
    categories: z.array(Category).max(1000).nullish(),
    /** Whether a reviewer may pick several of them. */
    allows_multiple_categories: z.boolean().nullish(),
  })
  .meta({ id: 'FeedbackConfig' });
export type FeedbackConfig = z.output<typeof FeedbackConfig>;

const KeyedConfig = z
  .object({
    feedback_key: z.string(),
    feedback_config: FeedbackConfig,
    tenant_id: z.string(),
    modified_at: z.string(),
    is_lower_score_better: z.boolean().nullable(),
    /** Whether it was configured explicitly, and did not only come with feedback. */
    is_enforced: z.boolean(),
    /** A key has a single configuration. */
    is_first: z.literal(true),
  })
  .meta({ id: 'FeedbackConfigSchema' });

const Key = WellFormedText.min(1).max(180);
const Create = z
  .object({
    feedback_key: Key,
    feedback_config: FeedbackConfig,
    is_lower_score_better: z.boolean().nullish(),
  })
  .meta({ id: 'CreateFeedbackConfig' });
/** Absent or null fields stay as they are. */
const Update = z
  .object({
    feedback_key: Key,
    feedback_config: FeedbackConfig.nullish(),
    /** Categories to add, which must be new by value and label. */
    add_categories: z.array(Category).max(1000).nullish(),
    /** The values of the categories to remove. */
    remove_categories: z.array(z.number()).max(1000).nullish(),
    is_lower_score_better: z.boolean().nullish(),
  })
  .meta({ id: 'UpdateFeedbackConfig' });

const path = '/feedback-configs' as const;
const example = {
  feedback_key: 'helpful',
  feedback_config: { type: 'continuous', min: 0, max: 1 },
  is_lower_score_better: false,
} as const;

export const feedbackConfigs = {
  listFeedbackConfigs: endpoint({
    ...v1,
    access: 'feedback:read',
    method: 'GET',
    path,
    summary: 'List how feedback is scored, by key',
    query: z.object({
      key: filterBy(queryTexts(WellFormedText)),
      name_contains: WellFormedText.optional(),
      is_enforced: queryFlag.optional(),
      offset: queryInt({ fallback: 0 }),
      limit: queryInt({ min: 1, max: 100, fallback: 100 }),
      sort_by_desc: queryFlag.default(true),
      read_after_write: queryFlag.default(false),
    }),
    success: { status: 200, body: z.array(KeyedConfig) },
    example: { query: { name_contains: 'help' } },
  }),
  createFeedbackConfig: endpoint({
    ...v1,
    access: 'feedback:write',
    method: 'POST',
    path,
    summary: 'Say how the feedback of a key is scored; a different configuration of the key is 400',
    body: Create,
    success: { status: 200, body: KeyedConfig },
    example: { body: example },
  }),
  patchFeedbackConfig: endpoint({
    ...v1,
    access: 'feedback:write',
    method: 'PATCH',
    path,
    summary: 'Change how the feedback of a key is scored',
    errors: [404],
    body: Update,
    success: { status: 200, body: KeyedConfig },
    example: { body: { feedback_key: 'helpful', is_lower_score_better: true } },
  }),
  deleteFeedbackConfig: endpoint({
    ...v1,
    access: 'feedback:admin',
    method: 'DELETE',
    path,
    summary: 'Forget how the feedback of a key is scored',
    errors: [404],
    query: z.object({ feedback_key: Key }),
    success: { status: 204 },
    example: { query: { feedback_key: 'helpful' } },
  }),
};
