import { DueInTurns, type Queryable, type Transaction } from '@roadstead/postgres';
import type { PartitionKey } from '../partitions/week-rules.ts';
import { instantText } from '../records/run-store.ts';
import type { Outcomes } from './rule-rules.ts';
import type { DecidedRun, RuleLogRow, RuleRunId, RuleRunRow } from './rule-run-row.ts';
import type { InWorkspace, RunKeys } from '../values/keys.ts';
import type { OffsetPage } from '../values/pages.ts';

/** The decisions of rules on runs: one row for each rule and run, which never changes its identity. */

const columns = `d.workspace_id, d.rule_id, d.run_id, d.session_id, ${instantText('d.run_start_time')} as start_time,
  ${instantText('d.run_end_time')} as end_time, d.attempts, d.outcomes, d.error, ${instantText('d.applied_at')} as applied_at`;
const byId = 'workspace_id = $1 and rule_id = $2 and run_id = $3';
const idOf = ({ workspace_id, rule_id, run_id }: RuleRunId) => [workspace_id, rule_id, run_id];

const endedRun = `r.run_id, r.session_id, ${instantText('r.start_time')} as start_time, ${instantText('r.end_time')} as end_time`;

export async function listEndedRuns(
  tx: Transaction,
  { workspace_id, run_ids }: RunKeys,
): Promise<DecidedRun[]> {
  return tx.query<DecidedRun>(
    `select ${endedRun} from traces.runs r
     where r.workspace_id = $1 and r.run_id = any ($2::uuid[]) and r.end_time is not null`,
    [workspace_id, run_ids],
  );
}

/**
 * Lists, for traces of one partition whose root has ended, all ended runs if the root is among the given runs,
 * otherwise only the given ones.
 */
export async function listRunsOfEndedTraces(
  tx: Transaction,
  partition: PartitionKey & InWorkspace,
  { run_ids, trace_ids }: { readonly run_ids: readonly string[]; readonly trace_ids: readonly string[] },
): Promise<DecidedRun[]> {
  return tx.query<DecidedRun>(
    `select ${endedRun} from traces.runs r
     join traces.runs t on t.run_id = r.trace_id and t.workspace_id = $1 and t.tier = $2 and t.week = $3
       and t.end_time is not null
     where r.workspace_id = $1 and r.tier = $2 and r.week = $3 and r.trace_id = any ($5::uuid[])
       and r.end_time is not null and (t.run_id = any ($4::uuid[]) or r.run_id = any ($4::uuid[]))`,
    [partition.workspace_id, partition.tier, partition.week, run_ids, trace_ids],
  );
}

/** Lists all ended runs of those traces of these runs whose root has ended. */
export async function listRunsBeside(
  tx: Transaction,
  { workspace_id, run_ids }: RunKeys,
): Promise<DecidedRun[]> {
  return tx.query<DecidedRun>(
    `select ${endedRun} from (
       select distinct trace_id, tier, week from traces.runs where workspace_id = $1 and run_id = any ($2::uuid[])
     ) g
     join traces.runs r on r.trace_id = g.trace_id and r.workspace_id = $1 and r.tier = g.tier and r.week = g.week
       and r.end_time is not null
     where exists (select from traces.runs t where t.run_id = g.trace_id and t.workspace_id = $1
       and t.tier = g.tier and t.week = g.week and t.end_time is not null)`,
    [workspace_id, run_ids],
  );
}

/** Inserts decisions, except where the rule has decided already. @returns how many are new. */
export async function insertDecisions(
  tx: Transaction,
  { workspace_id, rule_id, runs }: Omit<RuleRunId, 'run_id'> & { readonly runs: readonly DecidedRun[] },
): Promise<number> {
  if (runs.length === 0) return 0;
  return tx.run(
    `insert into traces.rule_runs (workspace_id, rule_id, run_id, session_id, run_start_time, run_end_time)
     select $1, $2, j.run_id, j.session_id, j.start_time, j.end_time
     from (select from traces.rules where workspace_id = $1 and id = $2 for key share) still_there
     cross join json_to_recordset($3::text::json)
       as j(run_id uuid, session_id uuid, start_time timestamptz, end_time timestamptz)
     order by j.run_id on conflict do nothing`,
    [workspace_id, rule_id, JSON.stringify(runs)],
  );
}

/** Lists due decisions of enabled rules; workspaces take turns, and so do the rules of one. */
export const dueRuleRuns = () =>
  new DueInTurns<RuleRunId>({
    table: 'traces.rule_runs',
    key: 'run_id',
    owner: ['workspace_id', 'rule_id'],
    owner_type: 'uuid',
    due: 'due_at',
    waits: `state = 'waiting'`,
    may_go: `exists (select from traces.rules r where r.workspace_id = o.workspace_id and r.id = o.rule_id and r.is_enabled)`,
  });

/** Claims a decision until the transaction ends; undefined where it isn't due, or another instance holds it. */
export async function claimRuleRun(tx: Transaction, id: RuleRunId): Promise<RuleRunRow | undefined> {
  return tx.maybe<RuleRunRow>(
    `select ${columns} from traces.rule_runs d
     where d.workspace_id = $1 and d.rule_id = $2 and d.run_id = $3 and d.state = 'waiting' and d.due_at <= now()
     for update skip locked`,
    idOf(id),
  );
}

export async function recordApplied(tx: Transaction, id: RuleRunId, outcomes: Outcomes): Promise<void> {
  await tx.run(
    `update traces.rule_runs set state = 'done', attempts = attempts + 1, outcomes = $4::text::jsonb, error = null,
       applied_at = now() where ${byId}`,
    [...idOf(id), JSON.stringify(outcomes)],
  );
}

/** @param after_s the pause before the next attempt; undefined where none follows. */
export async function recordFailed(
  tx: Transaction,
  id: RuleRunId,
  { error, after_s }: { readonly error: string; readonly after_s: number | undefined },
): Promise<void> {
  await tx.run(
    `update traces.rule_runs set state = case when $5::float8 is null then 'failed' else 'waiting' end,
       attempts = attempts + 1, error = $4, due_at = now() + make_interval(secs => coalesce($5::float8, 0))
     where ${byId} and state = 'waiting'`,
    [...idOf(id), error, after_s ?? null],
  );
}

/** Removes a decision, as if it had never been made. */
export async function deleteDecision(tx: Transaction, id: RuleRunId): Promise<void> {
  await tx.run(`delete from traces.rule_runs where ${byId}`, idOf(id));
}

export async function updateOutcomes(
  tx: Transaction,
  { change, ...id }: RuleRunId & { readonly change: (outcomes: Outcomes) => Outcomes },
): Promise<void> {
  const row = await tx.maybe<{ outcomes: Outcomes }>(
    `select outcomes from traces.rule_runs where ${byId} for update`,
    idOf(id),
  );
  if (row === undefined) return;
  await tx.run(`update traces.rule_runs set outcomes = $4::text::jsonb where ${byId}`, [
    ...idOf(id),
    JSON.stringify(change(row.outcomes)),
  ]);
}

/** The log of a rule, latest first, with the runs that still exist. */
export async function listRuleLogs(
  db: Queryable,
  rule: Omit<RuleRunId, 'run_id'>,
  page: OffsetPage & { readonly start_time: string | undefined; readonly end_time: string | undefined },
): Promise<RuleLogRow[]> {
  return db.query<RuleLogRow>(
    `select ${columns}, r.name as run_name, r.run_type, r.thread_id
     from (
       select * from traces.rule_runs where workspace_id = $1 and rule_id = $2
         and ($3::timestamptz is null or decided_at >= $3) and ($4::timestamptz is null or decided_at <= $4)
       order by decided_at desc, run_id limit ${page.limit} offset ${page.offset}
     ) d
     left join traces.runs r on r.run_id = d.run_id and r.workspace_id = d.workspace_id
     order by d.decided_at desc, d.run_id`,
    [rule.workspace_id, rule.rule_id, page.start_time ?? null, page.end_time ?? null],
  );
}

/** Removes decisions on runs that no tier keeps any more, those of disabled rules included. */
export async function forgetOldDecisions(db: Queryable, older_than_days: number): Promise<void> {
  await db.run('delete from traces.rule_runs where decided_at < now() - make_interval(days => $1)', [
    older_than_days,
  ]);
}
