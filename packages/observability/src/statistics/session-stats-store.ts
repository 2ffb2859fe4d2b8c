import type { Queryable } from '@roadstead/postgres';
import { ALL_TIME, type Rollup, type RootFacts } from '../digest/rollup-rules.ts';
import { rollupColumns } from '../digest/rollup-store.ts';
import { besideRoot, rootFacts } from '../digest/search-store.ts';
import { instantText } from '../records/run-store.ts';
import type { SessionKeys } from '../values/keys.ts';

/** The sums of projects from the rollups, and the time at which their last root began. */

export type SessionRollup = Rollup & { readonly session_id: string };

/** Rollups, one for each project and partition; with `from_day`, one for each day from then on. */
export async function readSessionRollups(
  db: Queryable,
  { workspace_id, session_ids, from_day }: SessionKeys & { readonly from_day?: string },
): Promise<SessionRollup[]> {
  const days = from_day === undefined ? `day = '${ALL_TIME}'` : 'day >= $3::date';
  return db.query<SessionRollup>(
    `select session_id, ${rollupColumns} from traces.rollups
     where workspace_id = $1 and session_id = any ($2::uuid[]) and ${days}`,
    [workspace_id, session_ids, ...(from_day === undefined ? [] : [from_day])],
  );
}

/** Roots that began in this time, whose end is exclusive. */
export async function readRootsBetween(
  db: Queryable,
  { workspace_id, session_ids, from, to }: SessionKeys & { readonly from: string; readonly to: string },
): Promise<RootFacts[]> {
  const rows = await db.query<{ root: RootFacts }>(
    `select ${rootFacts} as root from traces.runs r ${besideRoot}
     where r.workspace_id = $1 and r.session_id = any ($2::uuid[]) and r.is_root and t.deletion_id is null
       and r.start_time >= $3 and r.start_time < $4`,
    [workspace_id, session_ids, from, to],
  );
  return rows.map(({ root }) => root);
}

/**
 * The time at which the last root of each project began. Only partitions that have one according to the rollups are
 * read.
 */
export async function readLastStarts(
  db: Queryable,
  { workspace_id, session_ids }: SessionKeys,
): Promise<Map<string, string>> {
  const rows = await db.query<{ session_id: string; last: string }>(
    `select p.session_id, ${instantText('max(r.start_time)')} as last from (
       select session_id, tier, week, max(day) as day, max(max(day)) over (partition by session_id) as last_day
       from traces.rollups where workspace_id = $1 and session_id = any ($2::uuid[]) and day > '${ALL_TIME}'
       group by session_id, tier, week
     ) p cross join lateral (
       select r.start_time from traces.runs r
       where r.tier = p.tier and r.week = p.week and r.session_id = p.session_id and r.workspace_id = $1 and r.is_root
       order by r.start_time desc limit 1
     ) r
     where p.day = p.last_day group by p.session_id`,
    [workspace_id, session_ids],
  );
  return new Map(rows.map((row) => [row.session_id, row.last]));
}
