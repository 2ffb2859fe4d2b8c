import type { ThreadField } from '@roadstead/contracts/agent-server';
import type { Queryable } from '@roadstead/postgres';
import type { ExtractPath } from './extract-rules.ts';
import type { ThreadRow } from './thread-row.ts';
import { derivedStatus, interruptsByTask, threadColumns } from './thread-store.ts';
import type { Page } from '../database/page.ts';

/** Finds threads by what they hold, over connections whose planner may scan. */

export interface ThreadFilter {
  /** Pieces of JSON that their metadata must contain: from access rules and from the caller. */
  readonly within: readonly object[];
  readonly values?: object | null | undefined;
  readonly status?: ThreadRow['status'] | null | undefined;
  readonly ids?: readonly string[] | null | undefined;
}

export interface ThreadPage extends Page {
  readonly sort_by: 'thread_id' | 'status' | 'created_at' | 'updated_at' | 'state_updated_at';
  readonly sort_order: 'asc' | 'desc';
  readonly fields: readonly ThreadField[];
  readonly extract: readonly ExtractPath[];
}

const orders: Readonly<Record<ThreadPage['sort_by'], readonly string[]>> = {
  thread_id: [],
  status: [derivedStatus],
  created_at: ['t.created_at'],
  // The index is by the hour: see the migration.
  updated_at: ['t.updated_hour', 't.updated_at'],
  state_updated_at: ['coalesce(t.state_updated_at, t.created_at)'],
};
const roots: Readonly<Record<ExtractPath['root'], string>> = {
  values: 't."values"',
  metadata: 't.metadata',
  config: 't.config',
  interrupts: interruptsByTask,
};

export const asksForValues = ({ values }: Pick<ThreadFilter, 'values'>): boolean =>
  Object.keys(values ?? {}).length > 0;

function conditionsOf({ within, values, status, ids }: ThreadFilter, given: unknown[]): string {
  const value = (one: unknown) => `$${given.push(one)}`;
  const conditions = within
    .filter((wanted) => Object.keys(wanted).length > 0)
    .map((wanted) => `t.metadata @> ${value(JSON.stringify(wanted))}::jsonb`);
  if (asksForValues({ values }))
    conditions.push(`not t.values_stale and t."values" @> ${value(JSON.stringify(values))}::jsonb`);
  if (ids) conditions.push(`t.thread_id = any(${value(ids)}::uuid[])`);
  if (status) {
    const busy = `t.thread_id in (select r.thread_id from queue q join runs r using (run_id))`;
    conditions.push(status === 'busy' ? busy : `t.status = ${value(status)} and not ${busy}`);
  }
  // A thread that a run made for itself alone goes with it: nobody looks for it.
  return ['not t.temporary', ...conditions].join(' and ');
}

/** A page, and whether another follows. */
export async function searchThreads(
  db: Queryable,
  { filter, page }: { readonly filter: ThreadFilter; readonly page: ThreadPage },
): Promise<{ readonly rows: readonly ThreadRow[]; readonly more: boolean }> {
  const given: unknown[] = [];
  const value = (one: unknown) => `$${given.push(one)}`;
  const where = conditionsOf(filter, given);
  const { sort_by, sort_order, limit, offset, fields, extract } = page;
  const extracted = extract.map(
    ({ alias, root, path }) => `${value(alias)}::text, ${roots[root]} #> ${value(path)}::text[]`,
  );
  const order = [...orders[sort_by], 't.thread_id'].map((by) => `${by} ${sort_order}`).join(', ');
  const rows = await db.query<ThreadRow>(
    `with page as materialized (
       select t.thread_id from threads t where ${where} order by ${order} limit ${value(limit + 1)} offset ${value(offset)}
     )
     select ${threadColumns(fields)} ${extract.length === 0 ? '' : `, jsonb_build_object(${extracted.join(', ')})::text as extracted`}
     from page join threads t using (thread_id) order by ${order}`,
    given,
  );
  return { rows: rows.slice(0, limit), more: rows.length > limit };
}

/** Threads with outdated values that these filters may ask for; the last changed first. */
export async function listStale(
  db: Queryable,
  { filter, most }: { readonly filter: ThreadFilter; readonly most: number },
): Promise<readonly ThreadRow[]> {
  const given: unknown[] = [];
  const where = conditionsOf({ ...filter, values: null }, given);
  return db.query<ThreadRow>(
    `select ${threadColumns(['config'])} from threads t where ${where} and t.values_stale and t.has_checkpoint
     order by ${orders.updated_at.map((by) => `${by} desc`).join(', ')} limit $${given.push(most)}`,
    given,
  );
}

/** Counts the matching threads, no further than `most`. */
export async function countThreads(
  db: Queryable,
  { filter, most }: { readonly filter: ThreadFilter; readonly most?: number },
): Promise<number> {
  const given: unknown[] = [];
  const where = conditionsOf(filter, given);
  const limit = most === undefined ? '' : `limit $${given.push(most)}`;
  const { count } = await db.one<{ count: number }>(
    `select count(*) from (select from threads t where ${where} ${limit}) as found`,
    given,
  );
  return count;
}
