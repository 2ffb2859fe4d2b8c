import { Problem } from '@roadstead/kit';
import type { Queryable, Transaction } from '@roadstead/postgres';
import { instantText } from '../records/run-store.ts';
import { MAX_FAILURES } from './rule-rules.ts';
import type { RuleFields, RuleRow } from './rule-row.ts';
import type { OffsetPage } from '../values/pages.ts';
import type { RowKey } from '../values/keys.ts';

/** Rules. */

const kept: Readonly<Record<keyof RuleFields, string>> = {
  display_name: 'text',
  is_enabled: 'boolean',
  session_id: 'uuid',
  dataset_id: 'uuid',
  sampling_rate: 'double precision',
  filter: 'text',
  trace_filter: 'text',
  tree_filter: 'text',
  add_to_dataset_id: 'uuid',
  add_to_dataset_prefer_correction: 'boolean',
  add_to_annotation_queue_id: 'uuid',
  extend_only: 'boolean',
  webhooks: 'jsonb',
};
const names = Object.keys(kept) as (keyof RuleFields)[];

const columns = `${['workspace_id', 'id', ...names, 'failures', 'disabled_reason'].map((name) => `r.${name}`).join(', ')},
  ${instantText('r.created_at')} as created_at, ${instantText('r.updated_at')} as updated_at`;
const recordset = `json_to_record($3::text::json) as j(${names.map((name) => `${name} ${kept[name]}`).join(', ')})`;

const noSuch = () => new Problem('not_found', 'There is no such rule.');

/** The limit on rules, since each run is held against all rules of its workspace. */
const MAX_RULES = 100;

/** @throws Problem `conflict` where the workspace has reached its limit of rules. */
export async function insertRule(
  db: Queryable,
  { workspace_id, id }: RowKey,
  fields: RuleFields,
): Promise<RuleRow> {
  const row = await db.maybe<RuleRow>(
    `insert into traces.rules as r (workspace_id, id, ${names.join(', ')}, applies_from, created_at, updated_at)
     select $1, $2, ${names.join(', ')}, now(), now(), now() from ${recordset}
     where (select count(*) from traces.rules where workspace_id = $1) < ${MAX_RULES} returning ${columns}`,
    [workspace_id, id, JSON.stringify(fields)],
  );
  if (row === undefined) throw new Problem('conflict', `A workspace has ${MAX_RULES} rules at most.`);
  return row;
}

/** @throws Problem `not_found`, also where it belongs to another workspace. */
export async function readRule(db: Queryable, rule: RowKey): Promise<RuleRow> {
  const row = await findRule(db, rule);
  if (row === undefined) throw noSuch();
  return row;
}

export async function findRule(db: Queryable, { workspace_id, id }: RowKey): Promise<RuleRow | undefined> {
  return db.maybe<RuleRow>(`select ${columns} from traces.rules r where workspace_id = $1 and id = $2`, [
    workspace_id,
    id,
  ]);
}

/** Locks a rule, which stays as it is until the transaction ends. @throws Problem `not_found` */
export async function lockRule(tx: Transaction, { workspace_id, id }: RowKey): Promise<RuleRow> {
  const row = await tx.maybe<RuleRow>(
    `select ${columns} from traces.rules r where workspace_id = $1 and id = $2 for no key update`,
    [workspace_id, id],
  );
  if (row === undefined) throw noSuch();
  return row;
}

/** Updates a rule; enabling it starts afresh: without failures, and with the runs that end from now on. */
export async function updateRule(
  tx: Transaction,
  { workspace_id, id }: RowKey,
  fields: RuleFields,
): Promise<RuleRow> {
  return tx.one<RuleRow>(
    `update traces.rules r set ${names.map((name) => `${name} = j.${name}`).join(', ')}, updated_at = now(),
       applies_from = case when j.is_enabled and not r.is_enabled then now() else r.applies_from end,
       failures = case when j.is_enabled and not r.is_enabled then 0 else r.failures end,
       disabled_reason = case when j.is_enabled then null else r.disabled_reason end
     from ${recordset} where r.workspace_id = $1 and r.id = $2
     returning ${columns}`,
    [workspace_id, id, JSON.stringify(fields)],
  );
}

/** @throws Problem `not_found` */
export async function deleteRule(db: Queryable, { workspace_id, id }: RowKey): Promise<void> {
  const deleted = await db.run('delete from traces.rules where workspace_id = $1 and id = $2', [
    workspace_id,
    id,
  ]);
  if (deleted === 0) throw noSuch();
}

export interface RuleFilter {
  readonly workspace_id: string;
  readonly ids?: readonly string[] | undefined;
  readonly session_id?: string | undefined;
  readonly dataset_id?: string | undefined;
  readonly of_projects?: boolean | undefined;
  readonly name_contains?: string | undefined;
}

export async function listRules(
  db: Queryable,
  filter: RuleFilter,
  { limit, offset }: OffsetPage,
): Promise<RuleRow[]> {
  return db.query<RuleRow>(
    `select ${columns} from traces.rules r
     where workspace_id = $1 and ($2::uuid[] is null or id = any ($2::uuid[]))
       and ($3::uuid is null or session_id = $3) and ($4::uuid is null or dataset_id = $4)
       and ($5::boolean is null or (session_id is not null) = $5)
       and ($6::text is null or position(lower($6) in lower(display_name)) > 0)
     order by created_at desc, id limit ${limit} offset ${offset}`,
    [
      filter.workspace_id,
      filter.ids ?? null,
      filter.session_id ?? null,
      filter.dataset_id ?? null,
      filter.of_projects ?? null,
      filter.name_contains ?? null,
    ],
  );
}

export async function listEnabledRules(
  db: Queryable,
  workspace_id: string,
): Promise<(RuleRow & { readonly applies_from: string })[]> {
  return db.query(
    `select ${columns}, ${instantText('r.applies_from')} as applies_from from traces.rules r
     where workspace_id = $1 and is_enabled order by id`,
    [workspace_id],
  );
}

export async function clearFailures(tx: Transaction, { workspace_id, id }: RowKey): Promise<void> {
  await tx.run('update traces.rules set failures = 0 where workspace_id = $1 and id = $2 and failures > 0', [
    workspace_id,
    id,
  ]);
}

/** Counts a failure, and disables the rule after too many in a row. */
export async function countFailure(
  tx: Transaction,
  { workspace_id, id, error }: RowKey & { readonly error: string },
): Promise<void> {
  await tx.run(
    `update traces.rules set failures = failures + 1,
       disabled_reason = case when is_enabled and failures + 1 >= ${MAX_FAILURES} then $3 else disabled_reason end,
       is_enabled = is_enabled and failures + 1 < ${MAX_FAILURES}
     where workspace_id = $1 and id = $2`,
    [workspace_id, id, `It failed ${MAX_FAILURES} times in a row, last with: ${error}`],
  );
}
