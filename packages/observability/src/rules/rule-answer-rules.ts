import type { observability } from '@roadstead/contracts/observability';
import type { OutputValue } from '@roadstead/contracts';
import { naive } from '../values/instant-rules.ts';
import type { RuleRow } from './rule-row.ts';
import type { RuleLogRow } from './rule-run-row.ts';
import { webhookAnswer } from './rule-webhooks.ts';

/** Rules and their results, as the API answers them: every field is present. */

type RuleAnswer = OutputValue<NonNullable<typeof observability.readRule.success.body>>;
type RuleLogAnswer = OutputValue<NonNullable<typeof observability.listRuleLogs.success.body>>[number];

/** Fields of evaluators and the like, which rules do not have here. */
const unbuilt = {
  evaluators: null,
  code_evaluators: null,
  evaluator_id: null,
  evaluator_version: 1,
  alerts: null,
  corrections_dataset_id: null,
  use_corrections_dataset: false,
  num_few_shot_examples: null,
  include_extended_stats: false,
  transient: false,
  group_by: null,
  backfill_from: null,
  backfill_id: null,
  backfill_status: null,
  backfill_progress: null,
  backfill_error: null,
  backfill_completed_at: null,
  alignment_annotation_queue_id: null,
  spend_limit: null,
} as const;

/** The names of everything that a rule refers to, by id. */
export type NamesOfIds = ReadonlyMap<string, string>;

/** @param new_secrets the secrets of webhooks made just now, by their addresses. */
export function ruleAnswer(
  row: RuleRow,
  { names, new_secrets = new Map() }: { readonly names: NamesOfIds; readonly new_secrets?: NamesOfIds },
): RuleAnswer {
  const { workspace_id, webhooks, ...rule } = row;
  const nameOf = (id: string | null) => (id === null ? null : (names.get(id) ?? null));
  return {
    ...rule,
    tenant_id: workspace_id,
    session_name: nameOf(row.session_id),
    dataset_name: nameOf(row.dataset_id),
    add_to_dataset_name: nameOf(row.add_to_dataset_id),
    add_to_annotation_queue_name: nameOf(row.add_to_annotation_queue_id),
    webhooks: webhooks.map((one) => webhookAnswer(one, new_secrets.get(one.url))),
    created_at: naive(row.created_at) ?? '',
    updated_at: naive(row.updated_at) ?? '',
    ...unbuilt,
  };
}

export function ruleLogAnswer(row: RuleLogRow): RuleLogAnswer {
  const { outcomes } = row;
  return {
    rule_id: row.rule_id,
    run_id: row.run_id,
    run_name: row.run_name,
    run_type: row.run_type,
    run_session_id: row.session_id,
    thread_id: row.thread_id,
    start_time: naive(row.start_time) ?? '',
    end_time: naive(row.end_time) ?? '',
    application_time: naive(row.applied_at),
    add_to_dataset: outcomes.add_to_dataset ?? null,
    add_to_annotation_queue: outcomes.add_to_annotation_queue ?? null,
    extend_retention: outcomes.extend_retention ?? null,
    webhooks: outcomes.webhooks ?? null,
    evaluators: null,
    alerts: null,
    error: row.error,
  };
}
