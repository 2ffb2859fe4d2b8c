import type { FeedbackConfig } from '@roadstead/contracts/observability';
import { malformed, Problem } from '@roadstead/kit';

/** The stored form: configurations of one meaning are written in one way. */
export function wholeConfig(config: FeedbackConfig): FeedbackConfig {
  const categories = config.categories?.map(({ value, label }) => ({ value, label: label ?? null })) ?? null;
  const whole = { type: config.type, min: config.min ?? null, max: config.max ?? null, categories };
  return config.allows_multiple_categories === true ? { ...whole, allows_multiple_categories: true } : whole;
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

export interface CategoryChange {
  readonly add_categories?: FeedbackConfig['categories'];
  readonly remove_categories?: readonly number[] | null | undefined;
}

/** @throws Problem `malformed` where it has no categories, would have one twice, or fewer than two. */
export function withCategories(config: FeedbackConfig, change: CategoryChange): FeedbackConfig {
  const { add_categories: added, remove_categories: removed } = change;
  if (added == null && removed == null) return config;
  const field = added == null ? 'remove_categories' : 'add_categories';
  const refuse = (msg: string) => malformed(['body', field], msg);
  if (config.type !== 'categorical') throw refuse('is for categorical feedback, which this is not');
  const gone = new Set(removed);
  const kept = (config.categories ?? []).filter(({ value }) => !gone.has(value));
  const categories = [...kept, ...(added ?? [])];
  const labels = categories.flatMap(({ label }) => label ?? []);
  const isTwice = (all: readonly unknown[]) => new Set(all).size < all.length;
  if (isTwice(categories.map(({ value }) => value)) || isTwice(labels))
    throw refuse('names a value or a label that already exists');
  if (gone.size > 0 && categories.length < 2) throw refuse('would leave fewer than two categories');
  if (categories.length > 1000) throw refuse('would make more than 1000 categories');
  return { ...config, categories };
}

/** A configuration that was set for a key by itself prevails over one that comes with feedback. */
export function refusedConfig(stored: { readonly is_enforced: boolean }): Problem {
  const sentence = 'The feedback of this key is scored in another way.';
  return stored.is_enforced
    ? new Problem('conflict', sentence, { hint: 'Leave out `feedback_config`, or change that of the key.' })
    : new Problem('invalid', sentence, { hint: 'PATCH /feedback-configs changes it.' });
}
