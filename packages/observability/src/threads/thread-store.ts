import type { Queryable } from '@roadstead/postgres';
import { SqlValues } from '../filters/filter-sql-store.ts';
import type { Cursor, CursorPage } from '../queries/cursor-rules.ts';
import type { FoundRun } from '../queries/run-query-store.ts';
import type { RunConditions } from '../queries/run-query-rules.ts';
import { besideRuns, foundColumns, isLive, runConditionSql } from '../queries/run-sql-store.ts';
import { instantText } from '../records/run-store.ts';

/** Threads of a project, found by their turns: root runs with the same thread id. */

export interface ThreadScope {
  readonly workspace_id: string;
  readonly session_id: string;
  /** Bounds of the time at which turns began; instants as ISO text. */
  readonly min_start_time?: string | undefined;
  readonly max_start_time?: string | undefined;
  /** The conditions on turns; a thread matches when each of them holds for one of its turns. */
  readonly asked: readonly RunConditions[];
}

/** A thread by its last turn. */
export interface FoundThread extends Cursor {
  readonly thread_id: string;
}

/** The number of newest turns that usually contain enough threads for a page. */
const NEWEST = 1000;

/** SQL of the condition that `r` is a turn in the scope. */
export function turnSql(scope: Omit<ThreadScope, 'asked'>, values: SqlValues): string {
  const { min_start_time: min, max_start_time: max } = scope;
  return [
    `r.workspace_id = ${values.add(scope.workspace_id, 'uuid')}`,
    `r.session_id = ${values.add(scope.session_id, 'uuid')}`,
    'r.is_root and r.thread_id is not null',
    ...(min === undefined ? [] : [`r.start_time >= ${values.add(min, 'timestamptz')}`]),
    ...(max === undefined ? [] : [`r.start_time < ${values.add(max, 'timestamptz')}`]),
    isLive,
  ].join(' and ');
}

/** The joins beside the turns, once for all conditions that need them. */
export const besideTurns = ({ asked }: ThreadScope): string =>
  asked.map(besideRuns).find((beside) => beside !== '') ?? '';

/** Threads by their last turn, the newest first; so many at most. */
export async function listThreads(
  db: Queryable,
  scope: ThreadScope,
  { cursor, limit }: CursorPage,
): Promise<FoundThread[]> {
  if (scope.asked.length > 0) return threadsAmong(db, scope, { cursor, limit, candidates: matching });
  const found = await threadsOfNewest(db, scope, { cursor, limit });
  if (found.length === limit || !(await hasMoreTurns(db, scope, cursor))) return found;
  return threadsAmong(db, scope, { cursor, limit, candidates: everyThread });
}

/**
 * Threads among the newest turns: exact where it finds as many as were asked for, or where the scope has fewer turns
 * than are examined.
 */
async function threadsOfNewest(
  db: Queryable,
  scope: ThreadScope,
  { cursor, limit }: CursorPage,
): Promise<FoundThread[]> {
  const values = new SqlValues();
  const turn = turnSql(scope, values);
  return db.query<FoundThread>(
    `with newest as materialized (
       select r.thread_id, r.start_time, r.run_id from traces.runs r
       where ${turn} ${afterSql(cursor, 'r', values)} order by r.start_time desc, r.run_id desc limit ${NEWEST}
     ), threads as (
       select distinct on (thread_id) * from newest order by thread_id, start_time desc, run_id desc
     )
     select t.thread_id, ${instantText('t.start_time')} as start_time, t.run_id
     from threads t where ${cursor === undefined ? 'true' : `not ${hasTurnSince(cursor, turn, values)}`}
     order by t.start_time desc, t.run_id desc limit ${limit}`,
    values.values,
  );
}

/**
 * SQL of the condition that the thread `t` was on an earlier page. It is written so that each thread is looked up in
 * its index.
 */
function hasTurnSince(cursor: Cursor, turn: string, values: SqlValues): string {
  return `((select count(*) from (select from traces.runs r where ${turn} and r.thread_id = t.thread_id
    and (r.start_time, r.run_id) >= (${placeSql(cursor, values)}) limit 1) newer) > 0)`;
}

/** Whether the scope has more turns than are examined first. */
async function hasMoreTurns(db: Queryable, scope: ThreadScope, cursor: Cursor | undefined): Promise<boolean> {
  const values = new SqlValues();
  const rows = await db.query(
    `select from traces.runs r where ${turnSql(scope, values)} ${afterSql(cursor, 'r', values)}
     order by r.start_time desc, r.run_id desc offset ${NEWEST} limit 1`,
    values.values,
  );
  return rows.length > 0;
}

type Candidates = (scope: ThreadScope, values: SqlValues) => string;

/** Looks up each candidate by its last turn. */
async function threadsAmong(
  db: Queryable,
  scope: ThreadScope,
  asked: CursorPage & { readonly candidates: Candidates },
): Promise<FoundThread[]> {
  const values = new SqlValues();
  const turn = turnSql(scope, values);
  return db.query<FoundThread>(
    `${asked.candidates(scope, values)}
     select c.thread_id, ${instantText('t.start_time')} as start_time, t.run_id from candidates c
     cross join lateral (
       select r.start_time, r.run_id from traces.runs r where ${turn} and r.thread_id = c.thread_id
       order by r.start_time desc, r.run_id desc limit 1
     ) t where true ${afterSql(asked.cursor, 't', values)}
     order by t.start_time desc, t.run_id desc limit ${asked.limit}`,
    values.values,
  );
}

const matching: Candidates = (scope, values) => `with candidates as (${matchingSql(scope, values)})`;

/** The ids of threads of which, for each condition, one turn passes. */
export function matchingSql(scope: ThreadScope, values: SqlValues): string {
  const turn = turnSql(scope, values);
  const sets = scope.asked.map(
    (asked) => `select r.thread_id from traces.runs r ${besideRuns(asked)}
      where ${[turn, ...runConditionSql(asked, values)].join(' and ')} group by r.thread_id`,
  );
  return sets.join(' intersect ');
}

/** All threads, found by skipping through the index from one thread to the next. */
const everyThread: Candidates = (scope, values) => {
  const thread = `select r.thread_id from traces.runs r where r.session_id = ${values.add(scope.session_id, 'uuid')}
    and r.is_root and r.thread_id is not null`;
  return `with recursive candidates as (
    (${thread} order by r.thread_id limit 1)
    union all
    select (${thread} and r.thread_id > c.thread_id order by r.thread_id limit 1)
    from candidates c where c.thread_id is not null
  )`;
};

function afterSql(cursor: Cursor | undefined, alias: string, values: SqlValues): string {
  if (cursor === undefined) return '';
  return `and (${alias}.start_time, ${alias}.run_id) < (${placeSql(cursor, values)})`;
}

const placeSql = (cursor: Cursor, values: SqlValues) =>
  `${values.add(cursor.start_time, 'timestamptz')}, ${values.add(cursor.run_id, 'uuid')}`;

/** Turns of one thread that pass all conditions, oldest first; so many at most. */
export async function listTurns(
  db: Queryable,
  scope: ThreadScope,
  { thread_id, cursor, limit }: CursorPage & { readonly thread_id: string },
): Promise<FoundRun[]> {
  const values = new SqlValues();
  const where = [turnSql(scope, values), `r.thread_id = ${values.add(thread_id, 'text')}`];
  where.push(...scope.asked.flatMap((asked) => runConditionSql(asked, values)));
  if (cursor !== undefined) where.push(`(r.start_time, r.run_id) > (${placeSql(cursor, values)})`);
  return db.query<FoundRun>(
    `select ${foundColumns} from traces.runs r ${besideTurns(scope)} where ${where.join(' and ')} order by r.start_time, r.run_id limit ${limit}`,
    values.values,
  );
}

/** The place of turns in their thread, from 1, by run id. */
export async function readTurnNumbers(
  db: Queryable,
  scope: Omit<ThreadScope, 'asked'>,
  { thread_id, run_ids }: { readonly thread_id: string; readonly run_ids: readonly string[] },
): Promise<Map<string, number>> {
  const values = new SqlValues();
  const rows = await db.query<{ run_id: string; number: number }>(
    `select run_id, number from (
       select r.run_id, row_number() over (order by r.start_time, r.run_id) as number
       from traces.runs r where ${turnSql(scope, values)} and r.thread_id = ${values.add(thread_id, 'text')}
     ) t where run_id = any (${values.add(run_ids, 'uuid[]')})`,
    values.values,
  );
  return new Map(rows.map((row) => [row.run_id, row.number]));
}

/** The runs of a root's trace that began first. */
export async function listBelow(
  db: Queryable,
  root: FoundRun,
  { limit }: { readonly limit: number },
): Promise<FoundRun[]> {
  const { workspace_id, run_id, trace_id, tier, week } = root;
  return db.query<FoundRun>(
    `select ${foundColumns} from traces.runs r
     where r.trace_id = $1 and r.workspace_id = $2 and r.tier = $3 and r.week = $4 and r.run_id <> $5
     order by r.start_time, r.run_id limit ${limit}`,
    [trace_id, workspace_id, tier, week, run_id],
  );
}
