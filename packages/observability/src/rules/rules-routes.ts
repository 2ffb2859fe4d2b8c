import type { rules } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { type SecretBox, uuidv7 } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { ruleAnswer, ruleLogAnswer } from './rule-answer-rules.ts';
import { BLANK_RULE, keptRule } from './rule-fields-rules.ts';
import { checkRuleFilters } from './rule-filter-rules.ts';
import { namesOfRules, requireReferences } from './rule-references-store.ts';
import { listRuleLogs } from './rule-run-store.ts';
import { ruleRowOf } from './rule-webhooks.ts';
import { deleteRule, insertRule, listRules, lockRule, readRule, updateRule } from './rule-store.ts';

type RuleHandlers = Handlers<typeof rules>;
interface RulesOf {
  readonly db: Database;
  readonly secret_box: SecretBox;
}

export function ruleHandlers({ db, secret_box }: RulesOf): RuleHandlers {
  return {
    listRules: async ({ query, workspace_id }) => {
      const { id: ids, type, limit, offset, ...filter } = query;
      const of_projects = type === undefined ? undefined : type === 'session';
      const rows = await listRules(db, { ...filter, workspace_id, ids, of_projects }, { limit, offset });
      const names = await namesOfRules(db, rows);
      return rows.map((row) => ruleAnswer(row, { names }));
    },
    createRule: async ({ body, workspace_id }) => {
      const id = uuidv7();
      const to = { box: secret_box, row: ruleRowOf({ workspace_id, rule_id: id }) };
      const { fields, new_secrets } = keptRule(BLANK_RULE, { ...to, sent: body });
      checkRuleFilters(fields);
      await requireReferences(db, { workspace_id, fields });
      const row = await insertRule(db, { workspace_id, id }, fields);
      return ruleAnswer(row, { names: await namesOfRules(db, [row]), new_secrets });
    },
    readRule: async ({ params, workspace_id }) => {
      const row = await readRule(db, { workspace_id, id: params.rule_id });
      return ruleAnswer(row, { names: await namesOfRules(db, [row]) });
    },
    patchRule: async ({ params, body, workspace_id }) => {
      const rule = { workspace_id, id: params.rule_id };
      const { row, new_secrets } = await db.transaction(async (tx) => {
        const present = await lockRule(tx, rule);
        const to = { box: secret_box, row: ruleRowOf({ workspace_id, rule_id: present.id }) };
        const { fields, new_secrets: made } = keptRule(present, { ...to, sent: body });
        checkRuleFilters(fields);
        await requireReferences(tx, { workspace_id, fields, present });
        return { row: await updateRule(tx, rule, fields), new_secrets: made };
      });
      return ruleAnswer(row, { names: await namesOfRules(db, [row]), new_secrets });
    },
    deleteRule: async ({ params, workspace_id }) => {
      await deleteRule(db, { workspace_id, id: params.rule_id });
      return { message: 'The rule is deleted.' };
    },
    listRuleLogs: async ({ params, query, workspace_id }) => {
      await readRule(db, { workspace_id, id: params.rule_id });
      const { limit, offset, start_time, end_time } = query;
      const page = { limit, offset, start_time, end_time };
      return (await listRuleLogs(db, { workspace_id, rule_id: params.rule_id }, page)).map(ruleLogAnswer);
    },
  };
}
