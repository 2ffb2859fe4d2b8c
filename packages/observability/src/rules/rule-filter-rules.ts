import { type Condition, conditionOf } from '../filters/filter-conditions.ts';
import { passes } from '../filters/filter-evaluator.ts';
import { parseFilter } from '../filters/filter-parser.ts';
import { runFields } from '../filters/run-fields.ts';
import { runSubject } from '../filters/run-subject.ts';
import type { RunConditions } from '../queries/run-query-rules.ts';
import type { RuleRow } from './rule-row.ts';
import type { DigestedRun } from '../digest/digest-work.ts';

/** Decides which runs match a rule, as far as the runs themselves show it. */

const filterNames = ['filter', 'trace_filter', 'tree_filter'] as const;
type RuleFilters = Pick<RuleRow, (typeof filterNames)[number]>;

const conditionIn = (text: string, parameter: string): Condition =>
  conditionOf(parseFilter(text, { parameter, fields: runFields }));

/** @throws Problem `invalid` that names the faulty place of a filter. */
export function checkRuleFilters(rule: RuleFilters): void {
  for (const name of filterNames) if (rule[name] !== null) conditionIn(rule[name], name);
}

/** Fields that a run alone does not show, or not yet when it ends. */
const foreign: ReadonlySet<string> = new Set([
  'execution_order',
  'total_tokens',
  'prompt_tokens',
  'completion_tokens',
  'total_cost',
  'prompt_cost',
  'completion_cost',
]);

function asksElsewhere(condition: Condition): boolean {
  switch (condition.kind) {
    case 'all':
    case 'any':
      return condition.of.some(asksElsewhere);
    case 'not':
      return asksElsewhere(condition.of);
    case 'column':
      return foreign.has(condition.name);
    case 'entry':
      return condition.family === 'feedback';
    case 'tag':
    case 'words':
      return false;
  }
}

/** Whether the rule depends on feedback, which comes after runs have ended. */
export function asksForFeedback(rule: RuleFilters): boolean {
  return filterNames.some((name) => rule[name] !== null && namesFeedback(conditionIn(rule[name], name)));
}

function namesFeedback(condition: Condition): boolean {
  if (condition.kind === 'all' || condition.kind === 'any') return condition.of.some(namesFeedback);
  if (condition.kind === 'not') return namesFeedback(condition.of);
  return condition.kind === 'entry' && condition.family === 'feedback';
}

/** Whether it depends on the trace, which is examined once the root has ended. */
export const asksForTrace = ({ trace_filter, tree_filter }: RuleFilters): boolean =>
  trace_filter !== null || tree_filter !== null;

/** Whether matching needs the database: then it happens when the rule is applied. */
export const isMatchedLater = (rule: RuleFilters): boolean =>
  asksForTrace(rule) || (rule.filter !== null && asksElsewhere(conditionIn(rule.filter, 'filter')));

/** All conditions of the rule on runs, for the database. */
export function askedByRule({ filter, trace_filter, tree_filter }: RuleFilters): RunConditions {
  const asked = (text: string | null, name: string) => (text === null ? undefined : conditionIn(text, name));
  return {
    run: asked(filter, 'filter'),
    root: asked(trace_filter, 'trace_filter'),
    tree: asked(tree_filter, 'tree_filter'),
    parsed_query: null,
  };
}

/** A test of runs for a rule that is not matched later. */
export function runMatcher({ filter }: RuleFilters): (run: DigestedRun) => boolean {
  if (filter === null) return () => true;
  const condition = conditionIn(filter, 'filter');
  return ({ row, entry }) =>
    passes(condition, runSubject({ row, entry, totals: undefined, execution_order: 1, feedback: [] }));
}
