import { createHash } from 'node:crypto';
import { Problem, TimeSlice } from '@roadstead/kit';
import type { Transaction } from '@roadstead/postgres';
import type { DigestedRun } from '../digest/digest-work.ts';
import { readReferenceDatasets } from '../reading/run-related-store.ts';
import type { RunRow } from '../records/run-row.ts';
import {
  asksForFeedback,
  asksForTrace,
  checkRuleFilters,
  isMatchedLater,
  runMatcher,
} from './rule-filter-rules.ts';
import type { RuleRow } from './rule-row.ts';
import { insertDecisions, listEndedRuns, listRunsBeside, listRunsOfEndedTraces } from './rule-run-store.ts';
import type { DecidedRun } from './rule-run-row.ts';
import { countFailure, listEnabledRules } from './rule-store.ts';
import type { RunKeys } from '../values/keys.ts';

/**
 * Decides which rules act on which runs. Nothing here may fail because of a rule's content: runs would no longer be
 * digested. Conditions that need the database are left to `rule-work.ts`.
 */

type EnabledRule = RuleRow & { readonly applies_from: string };

/** Decides in the transaction that digests the runs, which are of one partition; the same run may come again. */
export async function decideRules(tx: Transaction, runs: readonly DigestedRun[]): Promise<void> {
  const [first] = runs;
  if (first === undefined) return;
  const { workspace_id } = first.row;
  const rules = await readableRules(tx, workspace_id);
  if (rules.length === 0) return;
  const ended = runs.filter(({ row }) => row.end_time !== null);
  const inTraces = rules.some(asksForTrace)
    ? await listRunsOfEndedTraces(tx, first.row, {
        run_ids: runs.map(({ row }) => row.run_id),
        trace_ids: [...new Set(runs.map(({ row }) => row.trace_id))],
      })
    : [];
  const isOf = await scopeOf(tx, workspace_id, {
    rules,
    runs: [...ended.map(({ row }) => row), ...inTraces],
  });
  const slice = new TimeSlice();
  for (const rule of rules) {
    const candidates = asksForTrace(rule) ? inTraces : await matching(rule, ended, slice);
    const decided = candidates.filter((run) => isOf(rule, run) && isSampled(run.run_id, rule.sampling_rate));
    await insertDecisions(tx, { workspace_id, rule_id: rule.id, runs: decided });
  }
}

/** Rules that depend on feedback decide again when some arrives. */
export async function decideByFeedback(tx: Transaction, { workspace_id, run_ids }: RunKeys): Promise<void> {
  if (run_ids.length === 0) return;
  const rules = (await readableRules(tx, workspace_id)).filter(asksForFeedback);
  if (rules.length === 0) return;
  const runs = await listEndedRuns(tx, { workspace_id, run_ids });
  const inTraces = rules.some(asksForTrace) ? await listRunsBeside(tx, { workspace_id, run_ids }) : [];
  const isOf = await scopeOf(tx, workspace_id, { rules, runs: [...runs, ...inTraces] });
  for (const rule of rules) {
    const candidates = asksForTrace(rule) ? inTraces : runs;
    const decided = candidates.filter((run) => isOf(rule, run) && isSampled(run.run_id, rule.sampling_rate));
    await insertDecisions(tx, { workspace_id, rule_id: rule.id, runs: decided });
  }
}

/** The enabled rules whose filters can be parsed: the language may have changed since they were written. */
async function readableRules(tx: Transaction, workspace_id: string): Promise<EnabledRule[]> {
  const readable: EnabledRule[] = [];
  const slice = new TimeSlice();
  for (const rule of await listEnabledRules(tx, workspace_id)) {
    try {
      checkRuleFilters(rule);
      readable.push(rule);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      await countFailure(tx, { ...rule, error: error.sentence });
    }
    if (slice.isOver()) await slice.next();
  }
  return readable;
}

async function matching(
  rule: RuleRow,
  runs: readonly DigestedRun[],
  slice: TimeSlice,
): Promise<DecidedRun[]> {
  const matches = isMatchedLater(rule) ? () => true : runMatcher(rule);
  const found: DecidedRun[] = [];
  for (const run of runs) {
    if (matches(run)) found.push(endedRunOf(run.row));
    if (slice.isOver()) await slice.next();
  }
  return found;
}

const endedRunOf = ({ run_id, session_id, start_time, end_time }: RunRow): DecidedRun => ({
  run_id,
  session_id,
  start_time,
  end_time: end_time ?? start_time,
});

/** Whether a run belongs to a rule's project or experiments, and ended after the rule was made. */
async function scopeOf(
  tx: Transaction,
  workspace_id: string,
  {
    rules,
    runs,
  }: { readonly rules: readonly EnabledRule[]; readonly runs: readonly { readonly session_id: string }[] },
): Promise<(rule: EnabledRule, run: DecidedRun) => boolean> {
  const session_ids = [...new Set(runs.map((run) => run.session_id))];
  const datasets = rules.some((rule) => rule.dataset_id !== null)
    ? await readReferenceDatasets(tx, { workspace_id, session_ids })
    : new Map<string, string>();
  return (rule, run) =>
    run.end_time >= rule.applies_from &&
    (rule.session_id === null
      ? datasets.get(run.session_id) === rule.dataset_id
      : run.session_id === rule.session_id);
}

const SAMPLE_BITS = 48;

/** Whether a run belongs to the sampled share: always the same runs, and a smaller share is a part of a larger one. */
export function isSampled(run_id: string, sampling_rate: number): boolean {
  const digest = createHash('sha256').update(run_id.toLowerCase()).digest();
  return digest.readUIntBE(0, SAMPLE_BITS / 8) / 2 ** SAMPLE_BITS < sampling_rate;
}
