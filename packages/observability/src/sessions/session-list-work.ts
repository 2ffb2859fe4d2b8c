import type { Queryable } from '@roadstead/kit';
import type { SessionRow, SessionStats } from './session-row.ts';
import { readSessionFacts, type SessionFacts } from './session-facts-work.ts';
import { readSessionStats } from './session-stats-work.ts';
import {
  listSessionIds,
  listSessions,
  readSessions,
  type SessionFilter,
  type SessionPage,
} from './session-store.ts';

export interface ListedSession {
  readonly row: SessionRow;
  readonly facts: SessionFacts | undefined;
}

/** By what of its statistics a project is sorted. */
const statistic = {
  last_run_start_time: (stats) => stats.last_run_start_time,
  latency_p50: (stats) => stats.latency_p50,
  latency_p99: (stats) => stats.latency_p99,
  error_rate: (stats) => stats.error_rate,
  runs_count: (stats) => stats.run_count,
} as const satisfies Record<string, (stats: SessionStats) => string | number | null>;

export type SessionSort = 'name' | 'start_time' | keyof typeof statistic;

export interface SessionListing extends SessionPage {
  readonly sort_by: SessionSort;
  readonly descending: boolean;
  readonly include_stats: boolean;
}

export function needsStats(sort_by: SessionSort): sort_by is keyof typeof statistic {
  return sort_by in statistic;
}

/** A page of the projects that match. Those without the value that they are sorted by come last, either way. */
export async function listSessionsWithStats(
  db: Queryable,
  filter: SessionFilter,
  { sort_by, include_stats, ...page }: SessionListing,
): Promise<ListedSession[]> {
  const { workspace_id } = filter;
  if (!needsStats(sort_by)) {
    const rows = await listSessions(db, filter, { sort_by, ...page });
    const session_ids = include_stats ? rows.map((row) => row.id) : [];
    const facts = await readSessionFacts(db, { workspace_id, session_ids });
    return rows.map((row) => ({ row, facts: facts.get(row.id) }));
  }
  const stats = await readSessionStats(db, {
    workspace_id,
    session_ids: await listSessionIds(db, filter),
  });
  const valueOf = (one: SessionStats) => statistic[sort_by](one);
  const ids = [...stats]
    .sort(([, a], [, b]) => compare(valueOf(a), valueOf(b), page))
    .slice(page.offset, page.offset + page.limit)
    .map(([id]) => id);
  const rows = await readSessions(db, { workspace_id, ids });
  const facts = await readSessionFacts(db, { workspace_id, session_ids: include_stats ? ids : [] });
  return rows.map((row) => ({ row, facts: facts.get(row.id) }));
}

type Value = string | number | null;

function compare(a: Value, b: Value, { descending }: { readonly descending: boolean }): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? 1 : -1;
  return a < b === descending ? 1 : -1;
}
