import { Problem } from '@roadstead/kit';

/** The valid content of a rule, the runs that it acts on, and when it has failed too often. */

const ruleActions = ['add_to_dataset', 'add_to_annotation_queue', 'extend_retention', 'webhooks'] as const;
export type RuleAction = (typeof ruleActions)[number];

export interface Outcome {
  readonly outcome: 'success' | 'skipped' | 'error';
  readonly payload: Readonly<Record<string, unknown>> | null;
}
export type Outcomes = Readonly<Partial<Record<RuleAction, Outcome>>>;

const NO_EVALUATORS =
  'Rules run no evaluators here, neither models nor code: they add runs to datasets or queues, keep traces longer, or call webhooks.';

/** The reasons for which fields of the original are refused where they ask for anything. */
const unbuilt: Readonly<Record<string, string>> = {
  evaluators: NO_EVALUATORS,
  code_evaluators: NO_EVALUATORS,
  evaluator_id: NO_EVALUATORS,
  create_alignment_queue: NO_EVALUATORS,
  use_corrections_dataset: NO_EVALUATORS,
  num_few_shot_examples: NO_EVALUATORS,
  spend_limit: NO_EVALUATORS,
  alerts: 'Rules raise no alerts at PagerDuty; a webhook can.',
  group_by: 'Rules act on runs, not on threads.',
  backfill_from: 'Rules act on runs that end after the rule was created.',
  transient: 'A rule stays until it is deleted.',
};

const asksForNothing = (value: unknown) =>
  value === undefined ||
  value === null ||
  value === false ||
  value === 0 ||
  value === '' ||
  (Array.isArray(value) && value.length === 0);

/** @throws Problem `invalid` that names the field. */
export function refuseUnbuilt(body: Readonly<Record<string, unknown>>): void {
  for (const [field, why] of Object.entries(unbuilt))
    if (!asksForNothing(body[field])) throw new Problem('invalid', `"${field}" is not taken. ${why}`);
}

/** The fields that decide whether a rule makes sense. */
export interface RuleContent {
  readonly session_id: string | null;
  readonly dataset_id: string | null;
  readonly add_to_dataset_id: string | null;
  readonly add_to_annotation_queue_id: string | null;
  readonly extend_only: boolean;
  readonly webhooks: readonly unknown[];
}

/** @throws Problem `invalid` for a rule without a subject, or one without an action. */
export function checkRule(rule: RuleContent): void {
  if ((rule.session_id === null) === (rule.dataset_id === null))
    throw new Problem(
      'invalid',
      'A rule needs one project or one dataset: give "session_id" or "dataset_id".',
    );
  if (actionsOf(rule).length === 0)
    throw new Problem(
      'invalid',
      'A rule needs an action: give "add_to_dataset_id", "add_to_annotation_queue_id", "extend_only" or "webhooks".',
    );
}

export function actionsOf(rule: Omit<RuleContent, 'session_id' | 'dataset_id'>): RuleAction[] {
  const wanted: Readonly<Record<RuleAction, boolean>> = {
    add_to_dataset: rule.add_to_dataset_id !== null,
    add_to_annotation_queue: rule.add_to_annotation_queue_id !== null,
    extend_retention: rule.extend_only,
    webhooks: rule.webhooks.length > 0,
  };
  return ruleActions.filter((action) => wanted[action]);
}

export const MAX_FAILURES = 10;

/** The pause before the next of so many failed attempts; undefined where it was tried often enough. */
export function retryAfter(attempts: number): number | undefined {
  return attempts >= MAX_FAILURES ? undefined : Math.min(3600, 2 * 3 ** (attempts - 1));
}
