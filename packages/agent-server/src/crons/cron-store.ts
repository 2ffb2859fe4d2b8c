import { uuidv7 } from '@roadstead/kit';
import { type Database, DueInTurns, type Queryable } from '@roadstead/postgres';
import { jsonParameter, readJson } from '../json/json-text.ts';
import type { Cron, NextRun } from './cron.ts';
import type { Page } from '../database/page.ts';

/** Crons of a deployment. Each statement that begins, moves or ends one names the engine's epoch. */

const columns = `cron_id, assistant_id, thread_id, principal, auth_user, schedule, timezone, end_time, enabled,
  on_run_completed, payload::text as payload, metadata, marks, next_run_date, next_run_id, created_at, updated_at`;

interface CronRow extends Omit<Cron, 'payload' | 'user'> {
  readonly payload: string;
  readonly auth_user: Cron['user'];
}

async function cronOf({ payload, auth_user: user, ...row }: CronRow): Promise<Cron> {
  return { ...row, user, payload: await readJson(payload) };
}

export type NewCron = Omit<Cron, 'cron_id' | 'created_at' | 'updated_at'>;

/** Undefined where the epoch has passed. @throws where the thread is not there */
export async function insertCron(
  db: Queryable,
  { cron, epoch }: { readonly cron: NewCron; readonly epoch: number },
): Promise<Cron | undefined> {
  const row = await db.maybe<CronRow>(
    `insert into crons (cron_id, assistant_id, thread_id, principal, auth_user, schedule, timezone, end_time, enabled,
       on_run_completed, payload, metadata, marks, next_run_date, next_run_id)
     select $1, $2, $3, $4, $5::text::jsonb, $6, $7, $8, $9, $10, $11::text::jsonb, $12::text::jsonb, $13::text::jsonb, $14, $15
     where exists (select from engine where epoch = $16)
     returning ${columns}`,
    [
      uuidv7(),
      cron.assistant_id,
      cron.thread_id,
      cron.principal,
      cron.user === null ? null : JSON.stringify(cron.user),
      cron.schedule,
      cron.timezone,
      cron.end_time,
      cron.enabled,
      cron.on_run_completed,
      await jsonParameter(cron.payload),
      await jsonParameter(cron.metadata),
      await jsonParameter(cron.marks),
      cron.next_run_date,
      cron.next_run_id,
      epoch,
    ],
  );
  return row && cronOf(row);
}

export async function findCron(db: Queryable, cron_id: string): Promise<Cron | undefined> {
  const row = await db.maybe<CronRow>(`select ${columns} from crons where cron_id = $1`, [cron_id]);
  return row && cronOf(row);
}

/** Replaces a cron, if nobody has changed it since it was read. */
export async function replaceCron(
  db: Queryable,
  { cron, epoch }: { readonly cron: Cron; readonly epoch: number },
): Promise<Cron | undefined> {
  const row = await db.maybe<CronRow>(
    `update crons set schedule = $3, timezone = $4, end_time = $5, enabled = $6, on_run_completed = $7,
       payload = $8::text::jsonb, metadata = $9::text::jsonb, next_run_date = $10, next_run_id = $11, updated_at = now()
     where cron_id = $1 and date_trunc('milliseconds', updated_at) = $2 and exists (select from engine where epoch = $12)
     returning ${columns}`,
    [
      cron.cron_id,
      cron.updated_at,
      cron.schedule,
      cron.timezone,
      cron.end_time,
      cron.enabled,
      cron.on_run_completed,
      await jsonParameter(cron.payload),
      await jsonParameter(cron.metadata),
      cron.next_run_date,
      cron.next_run_id,
      epoch,
    ],
  );
  return row && cronOf(row);
}

/** Moves a cron to its next date after a run has begun, unless it was changed meanwhile. */
export async function advanceCron(
  db: Queryable,
  { cron_id, next_run_id }: Pick<Cron, 'cron_id' | 'next_run_id'>,
  { next, epoch }: { readonly next: NextRun; readonly epoch: number },
): Promise<void> {
  await db.run(
    `update crons set next_run_date = $3, next_run_id = $4
     where cron_id = $1 and next_run_id = $2 and exists (select from engine where epoch = $5)`,
    [cron_id, next_run_id, next.next_run_date, next.next_run_id, epoch],
  );
}

export async function deleteCron(
  db: Queryable,
  { cron_id, epoch }: { readonly cron_id: string; readonly epoch: number },
): Promise<boolean> {
  const deleted = await db.run(
    'delete from crons where cron_id = $1 and exists (select from engine where epoch = $2)',
    [cron_id, epoch],
  );
  return deleted === 1;
}

export interface CronSearch {
  readonly assistant_id?: string | undefined;
  readonly thread_id?: string | undefined;
  readonly enabled?: boolean | undefined;
  /** Pieces of JSON, each of which its metadata must contain. */
  readonly metadata: readonly Readonly<Record<string, unknown>>[];
}

function conditionsOf(search: CronSearch): { readonly where: string; readonly values: unknown[] } {
  const values: unknown[] = [];
  const add = (value: unknown) => `$${values.push(value)}`;
  const conditions = [
    ...(search.assistant_id === undefined ? [] : [`assistant_id = ${add(search.assistant_id)}`]),
    ...(search.thread_id === undefined ? [] : [`thread_id = ${add(search.thread_id)}`]),
    ...(search.enabled === undefined ? [] : [`enabled = ${add(search.enabled)}`]),
    ...search.metadata.map((wanted) => `metadata @> ${add(JSON.stringify(wanted))}::text::jsonb`),
  ];
  return { where: conditions.length === 0 ? 'true' : conditions.join(' and '), values };
}

export interface CronOrder extends Page {
  readonly by:
    | 'cron_id'
    | 'assistant_id'
    | 'thread_id'
    | 'created_at'
    | 'updated_at'
    | 'next_run_date'
    | 'end_time';
  readonly descending: boolean;
}

export async function searchCrons(
  db: Database,
  search: CronSearch,
  { by, descending, limit, offset }: CronOrder,
): Promise<Cron[]> {
  const { where, values } = conditionsOf(search);
  const order = descending ? 'desc nulls last' : 'asc nulls last';
  const rows = await db.query<CronRow>(
    `select ${columns} from crons where ${where} order by ${by} ${order}, cron_id
     limit $${values.length + 1} offset $${values.length + 2}`,
    [...values, limit, offset],
  );
  return Promise.all(rows.map(cronOf));
}

export async function countCrons(db: Database, search: CronSearch): Promise<number> {
  const { where, values } = conditionsOf(search);
  return (await db.one<{ count: number }>(`select count(*) from crons where ${where}`, values)).count;
}

/** A cron that is due, and the principal whom its runs count for. */
export type DueCron = Pick<Cron, 'cron_id' | 'principal'>;

/** Lists the crons that are due, so that their owners take turns. */
export const dueCrons = () =>
  new DueInTurns<DueCron>({
    table: 'crons',
    key: 'cron_id',
    owner: ['principal'],
    owner_type: 'text',
    due: 'next_run_date',
    waits: 'next_run_date is not null',
  });

/** Finds when the next cron is due. */
export async function findNextCron(db: Database, now: Date): Promise<number | undefined> {
  const next = await db.maybe<{ next_run_date: string }>(
    'select next_run_date from crons where next_run_date > $1 order by next_run_date limit 1',
    [now],
  );
  return next && Date.parse(next.next_run_date);
}
