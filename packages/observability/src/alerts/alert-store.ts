import { Problem } from '@roadstead/kit';
import { DueInTurns, type Queryable, type Transaction } from '@roadstead/postgres';
import { instantText } from '../records/run-store.ts';
import type { RowKey } from '../values/keys.ts';
import type { AlertFields, AlertRow, AlertStanding } from './alert-row.ts';

/** Alerts. */

const instants = ['muted_until', 'state_since', 'evaluated_at', 'created_at', 'updated_at']
  .map((name) => `${instantText(`a.${name}`)} as ${name}`)
  .join(', ');
const columns = `a.workspace_id, a.id, a.definition, a.webhooks, a.is_enabled, a.condition, a.streak, a.state, a.told,
  a.value, a.problem, ${instants}`;

const noSuch = () => new Problem('not_found', 'There is no such alert.');
/** The limit on alerts, since each is evaluated by itself. */
const MAX_ALERTS = 100;

interface At {
  /** The instant of the change. */
  readonly now: string;
}

/** @throws Problem `conflict` where the workspace has reached its limit of alerts. */
export async function insertAlert(
  db: Queryable,
  { workspace_id, id }: RowKey,
  { fields, now }: At & { readonly fields: AlertFields },
): Promise<AlertRow> {
  const row = await db.maybe<AlertRow>(
    `insert into traces.alerts as a (workspace_id, id, definition, webhooks, is_enabled, muted_until, state_since,
       due_at, created_at, updated_at)
     select $1, $2, $3::text::jsonb, $4::text::jsonb, $5, $6, $7, $7, $7, $7
     where (select count(*) from traces.alerts where workspace_id = $1) < ${MAX_ALERTS} returning ${columns}`,
    [workspace_id, id, ...valuesOf(fields), now],
  );
  if (row === undefined) throw new Problem('conflict', `A workspace has ${MAX_ALERTS} alerts at most.`);
  return row;
}

const valuesOf = ({ definition, webhooks, is_enabled, muted_until }: AlertFields) => [
  JSON.stringify(definition),
  JSON.stringify(webhooks),
  is_enabled,
  muted_until,
];

/** @throws Problem `not_found`, also where it belongs to another workspace. */
export async function readAlert(db: Queryable, key: RowKey): Promise<AlertRow> {
  const row = await findAlert(db, key);
  if (row === undefined) throw noSuch();
  return row;
}

export async function findAlert(db: Queryable, { workspace_id, id }: RowKey): Promise<AlertRow | undefined> {
  return db.maybe<AlertRow>(`select ${columns} from traces.alerts a where workspace_id = $1 and id = $2`, [
    workspace_id,
    id,
  ]);
}

export async function listAlerts(
  db: Queryable,
  {
    workspace_id,
    after,
    limit,
  }: { readonly workspace_id: string; readonly after: string | undefined; readonly limit: number },
): Promise<AlertRow[]> {
  return db.query<AlertRow>(
    `select ${columns} from traces.alerts a where workspace_id = $1 and ($2::uuid is null or id < $2)
     order by id desc limit $3`,
    [workspace_id, after ?? null, limit],
  );
}

/** Locks an alert, which stays as it is until the transaction ends. @throws Problem `not_found` */
export async function lockAlert(tx: Transaction, { workspace_id, id }: RowKey): Promise<AlertRow> {
  const row = await tx.maybe<AlertRow>(
    `select ${columns} from traces.alerts a where workspace_id = $1 and id = $2 for no key update`,
    [workspace_id, id],
  );
  if (row === undefined) throw noSuch();
  return row;
}

/** Updates an alert, which is due at once. What was measured of it before counts no longer. */
export async function updateAlert(
  tx: Transaction,
  { workspace_id, id }: RowKey,
  { fields, now }: At & { readonly fields: AlertFields },
): Promise<AlertRow> {
  return tx.one<AlertRow>(
    `update traces.alerts a set definition = $3::text::jsonb, webhooks = $4::text::jsonb, is_enabled = $5,
       muted_until = $6, due_at = $7, updated_at = $7, claim = null, streak = 0
     where workspace_id = $1 and id = $2 returning ${columns}`,
    [workspace_id, id, ...valuesOf(fields), now],
  );
}

/** @throws Problem `not_found` */
export async function deleteAlert(db: Queryable, { workspace_id, id }: RowKey): Promise<void> {
  const deleted = await db.run('delete from traces.alerts where workspace_id = $1 and id = $2', [
    workspace_id,
    id,
  ]);
  if (deleted === 0) throw noSuch();
}

/** Lists due alerts: workspaces take turns. */
export const dueAlerts = () =>
  new DueInTurns<RowKey>({
    table: 'traces.alerts',
    key: 'id',
    owner: ['workspace_id'],
    owner_type: 'uuid',
    due: 'due_at',
    waits: 'is_enabled',
  });

export interface AlertClaim extends RowKey {
  readonly claim: string;
}

/** Claims a due alert until an instant; undefined where it isn't due: another process evaluates it, or has. */
export async function claimAlert(
  db: Queryable,
  { workspace_id, id, claim }: AlertClaim,
  { now, until }: At & { readonly until: string },
): Promise<AlertRow | undefined> {
  return db.maybe<AlertRow>(
    `update traces.alerts a set claim = $3, due_at = $5
     where workspace_id = $1 and id = $2 and is_enabled and due_at <= $4 returning ${columns}`,
    [workspace_id, id, claim, now, until],
  );
}

/** Locks an alert under its claim; undefined where it was changed or claimed by another process since. */
export async function lockClaimed(
  tx: Transaction,
  { workspace_id, id, claim }: AlertClaim,
): Promise<AlertRow | undefined> {
  return tx.maybe<AlertRow>(
    `select ${columns} from traces.alerts a where workspace_id = $1 and id = $2 and claim = $3 for no key update`,
    [workspace_id, id, claim],
  );
}

export interface EvaluatedAlert extends At {
  readonly standing: AlertStanding;
  readonly value: number | null;
  readonly problem: string | null;
  readonly due_at: string;
}

export async function recordEvaluation(
  tx: Transaction,
  { workspace_id, id }: RowKey,
  { standing, value, problem, now, due_at }: EvaluatedAlert,
): Promise<void> {
  await tx.run(
    `update traces.alerts set condition = $3, streak = $4, told = $6, value = $7, problem = $8, evaluated_at = $9,
       state_since = case when state = $5 then state_since else $9::timestamptz end, state = $5, due_at = $10,
       claim = null
     where workspace_id = $1 and id = $2`,
    [
      workspace_id,
      id,
      standing.condition,
      standing.streak,
      standing.state,
      standing.told,
      value,
      problem,
      now,
      due_at,
    ],
  );
}
