import { classifyError, type Log, problemOf } from '@roadstead/kit';
import type { Database, Transaction } from '@roadstead/postgres';
import { actionsOf, type Outcome, retryAfter, type RuleAction } from './rule-rules.ts';
import type { RuleRow } from './rule-row.ts';
import { claimRuleRun, deleteDecision, recordApplied, recordFailed } from './rule-run-store.ts';
import type { RuleRunId, RuleRunRow } from './rule-run-row.ts';
import { clearFailures, countFailure, findRule } from './rule-store.ts';

/** Carries out a rule's decision on a run: all of its actions in the transaction that records them, or none of them. */

export interface RuleActions {
  /** Whether a rule still matches that looks at more than the run as it ended. */
  readonly matches: (tx: Transaction, wanted: RuleApplication) => Promise<boolean>;
  readonly act: Readonly<Record<RuleAction, (tx: Transaction, wanted: RuleApplication) => Promise<Outcome>>>;
}

export interface RuleApplication {
  readonly rule: RuleRow;
  readonly run: RuleRunRow;
}

export interface RuleWork {
  readonly db: Database;
  readonly log: Log;
  readonly actions: RuleActions;
}

export async function applyRuleRun({ db, log, actions }: RuleWork, id: RuleRunId): Promise<void> {
  try {
    await db.transaction((tx) => apply(tx, id, actions));
  } catch (error) {
    // An outage passes without our doing, and is not the rule's fault.
    if (classifyError(error) === 'outage') throw error;
    if (classifyError(error) === 'accident') log.error('a rule failed', { ...id, error });
    await db.transaction((tx) => fail(tx, id, error));
  }
}

async function apply(tx: Transaction, id: RuleRunId, actions: RuleActions): Promise<void> {
  const run = await claimRuleRun(tx, id);
  const rule = await findRule(tx, { workspace_id: id.workspace_id, id: id.rule_id });
  if (run === undefined || rule?.is_enabled !== true) return;
  if (!(await actions.matches(tx, { rule, run }))) return deleteDecision(tx, id);
  const outcomes: Partial<Record<RuleAction, Outcome>> = {};
  for (const action of actionsOf(rule)) outcomes[action] = await actions.act[action](tx, { rule, run });
  await recordApplied(tx, id, outcomes);
  // Webhooks show their success only when they are sent.
  if (rule.webhooks.length === 0) await clearFailures(tx, rule);
}

async function fail(tx: Transaction, id: RuleRunId, error: unknown): Promise<void> {
  const run = await claimRuleRun(tx, id);
  if (run === undefined) return;
  const sentence =
    problemOf(error)?.sentence ?? 'Something went wrong here; the log of the server has the details.';
  const after_s = classifyError(error) === 'refusal' ? undefined : retryAfter(run.attempts + 1);
  await recordFailed(tx, id, { error: sentence, after_s });
  await countFailure(tx, { workspace_id: id.workspace_id, id: id.rule_id, error: sentence });
}
