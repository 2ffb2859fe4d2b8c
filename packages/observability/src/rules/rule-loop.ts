import { type Bound, Loop, settled } from '@roadstead/kit';
import { retention_days } from '../partitions/week-rules.ts';
import type { RuleRunId } from './rule-run-row.ts';
import { dueRuleRuns, forgetOldDecisions } from './rule-run-store.ts';
import { applyRuleRun, type RuleWork } from './rule-work.ts';

/** Carries out the decisions of rules. Instances share the work: the one that locks a decision carries it out. */

const LISTED = 200;
/** Each uses a connection. Half of them are for one workspace. */
const ruleBound: Bound<string> = { size: 6, owner: (key) => key.split('/', 1) };
/** The slack in days: the week of arrival, and the week in which a partition is removed. */
const SLACK_DAYS = 14;
const KEPT_DAYS = retention_days.longlived + SLACK_DAYS;

export function ruleLoop({ db, log, actions }: RuleWork): Loop {
  const due = dueRuleRuns();
  return new Loop({
    name: 'rules',
    log,
    concurrency: ruleBound.size,
    owner: ruleBound.owner,
    resync_ms: 1000,
    list: async (isBusy) => {
      await forgetOldDecisions(db, KEPT_DAYS);
      const listed = await due.list(db, { limit: LISTED, isBusy });
      return { keys: listed.due.map(keyOf), has_more: listed.has_more };
    },
    reconcile: async (key) => {
      const [workspace_id = '', rule_id = '', run_id = ''] = key.split('/');
      await applyRuleRun({ db, log, actions }, { workspace_id, rule_id, run_id });
      return settled;
    },
  });
}

const keyOf = ({ workspace_id, rule_id, run_id }: RuleRunId) => `${workspace_id}/${rule_id}/${run_id}`;
