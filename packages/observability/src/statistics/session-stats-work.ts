import { TimeSlice } from '@roadstead/kit';
import type { Queryable } from '@roadstead/postgres';
import { ALL_TIME, changesOf, countedOf } from '../digest/rollup-rules.ts';
import { instantOf } from '../values/instant-rules.ts';
import type { SessionStats } from '../session-records/session-row.ts';
import { sessionStatsOf } from './session-stats-rules.ts';
import {
  readLastStarts,
  readRootsBetween,
  readSessionRollups,
  type SessionRollup,
} from './session-stats-store.ts';
import type { SessionKeys } from '../values/keys.ts';

/** Statistics of these projects, of runs since an instant if one is given; also for projects without runs. */
export async function readSessionStats(
  db: Queryable,
  { since, ...sessions }: SessionKeys & { readonly since?: string | undefined },
): Promise<Map<string, SessionStats>> {
  if (sessions.session_ids.length === 0) return new Map();
  const rollups = Map.groupBy(
    since === undefined ? await readSessionRollups(db, sessions) : await rollupsSince(db, sessions, since),
    (rollup) => rollup.session_id,
  );
  const last = await readLastStarts(db, sessions);
  const slice = new TimeSlice();
  const stats = new Map<string, SessionStats>();
  for (const id of sessions.session_ids) {
    stats.set(id, sessionStatsOf(rollups.get(id) ?? [], last.get(id)));
    if (slice.isOver()) await slice.next();
  }
  return stats;
}

/** Rollups since an instant: the roots of its own day are counted; the days after it have rollups. */
async function rollupsSince(db: Queryable, sessions: SessionKeys, since: string): Promise<SessionRollup[]> {
  const from = instantOf(since) ?? since;
  const day = from.slice(0, 10);
  const next = new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString();
  const roots = await readRootsBetween(db, { ...sessions, from, to: next });
  const first_day = changesOf(roots.map((root) => ({ was: null, is: countedOf(root) })))
    .filter((change) => change.day === ALL_TIME)
    .map(({ session_id, change }) => ({ session_id, ...change }));
  const days = await readSessionRollups(db, { ...sessions, from_day: next.slice(0, 10) });
  return [...first_day, ...days];
}
