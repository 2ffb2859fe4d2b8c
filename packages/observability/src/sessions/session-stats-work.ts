import { type Queryable, TimeSlice } from '@roadstead/kit';
import type { SessionStats } from './session-row.ts';
import { sessionStatsOf } from './session-stats-rules.ts';
import { readLastStarts, readSessionRollups } from './session-stats-store.ts';

/** Statistics of these projects; those without runs have them too. */
export async function readSessionStats(
  db: Queryable,
  sessions: { readonly workspace_id: string; readonly session_ids: readonly string[] },
): Promise<Map<string, SessionStats>> {
  if (sessions.session_ids.length === 0) return new Map();
  const rollups = Map.groupBy(await readSessionRollups(db, sessions), (rollup) => rollup.session_id);
  const last = await readLastStarts(db, sessions);
  const slice = new TimeSlice();
  const stats = new Map<string, SessionStats>();
  for (const id of sessions.session_ids) {
    stats.set(id, sessionStatsOf(rollups.get(id) ?? [], last.get(id)));
    if (slice.isOver()) await slice.next();
  }
  return stats;
}
