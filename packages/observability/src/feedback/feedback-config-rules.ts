import type { FeedbackConfig } from '@roadstead/contracts/observability';
import { Problem } from '@roadstead/kit';

/** As it is stored: every field is there, so that what means the same is written the same. */
export function wholeConfig(config: FeedbackConfig): Required<FeedbackConfig> {
  const categories = config.categories?.map(({ value, label }) => ({ value, label: label ?? null })) ?? null;
  return { type: config.type, min: config.min ?? null, max: config.max ?? null, categories };
}

export function isSameConfig(one: FeedbackConfig, other: FeedbackConfig): boolean {
  return JSON.stringify(wholeConfig(one)) === JSON.stringify(wholeConfig(other));
}

/** @throws Problem `invalid` where bounds or categories make no sense. */
export function requireSense(config: FeedbackConfig): void {
  const { type, min, max, categories } = config;
  if (min !== null && min !== undefined && max !== null && max !== undefined && min > max)
    throw new Problem('invalid', '`feedback_config.min` is larger than `feedback_config.max`.');
  if (type === 'categorical' && (categories ?? []).length === 0)
    throw new Problem('invalid', 'A categorical feedback needs `feedback_config.categories`.');
}

/** What was decided for a key on its own holds against what comes along with feedback. */
export function refusedConfig(stored: { readonly is_enforced: boolean }): Problem {
  const sentence = 'The feedback of this key is scored in another way.';
  return stored.is_enforced
    ? new Problem('conflict', sentence, { hint: 'Leave out `feedback_config`, or change that of the key.' })
    : new Problem('invalid', sentence, { hint: 'PATCH /feedback-configs changes it.' });
}
