import type { Queryable } from '@roadstead/postgres';
import { withFormulas } from '../feedback/feedback-formula-rules.ts';
import { listFormulasOf } from '../feedback/feedback-formula-store.ts';
import type { FeedbackStats } from '../records/feedback-row.ts';
import { statsOf } from '../feedback/feedback-stats-rules.ts';
import type { Median } from '../feedback/feedback-stats-store.ts';
import type { RunConditions } from '../queries/run-query-rules.ts';
import type { SessionStats } from '../session-records/session-row.ts';
import { sessionStatsOf } from './session-stats-rules.ts';
import { readFeedbackShares, readMatchedMedians, readStats } from './run-stats-store.ts';

export interface MatchingRuns {
  readonly workspace_id: string;
  readonly session_ids: readonly string[];
  readonly since: string | undefined;
  readonly matching: RunConditions;
}

export interface MatchedStats {
  readonly stats: SessionStats;
  /** The feedback on the runs that match. */
  readonly feedback: FeedbackStats;
}

/** The statistics of the matching roots of projects, by project; also for a project without any. */
export async function readMatchedStats(
  db: Queryable,
  matching: MatchingRuns,
): Promise<Map<string, MatchedStats>> {
  const of = statsOfMatching(matching);
  const { session_ids } = matching;
  const rows = await readStats(db, of, { max_groups: session_ids.length });
  const shares = Map.groupBy(await readFeedbackShares(db, of), ({ g }) => g);
  const formulas = shares.size === 0 ? [] : await listFormulasOf(db, matching);
  const found = new Map(rows.map(({ g, ...stats }) => [g, stats]));
  return new Map(
    session_ids.map((id) => {
      const holding = formulas.filter(({ of_session_id }) => of_session_id === id);
      return [
        id,
        {
          stats: found.get(id) ?? sessionStatsOf([], undefined),
          feedback: withFormulas(statsOf(shares.get(id) ?? []), holding),
        },
      ];
    }),
  );
}

export async function readMediansOfMatching(db: Queryable, matching: MatchingRuns): Promise<Median[]> {
  return readMatchedMedians(db, statsOfMatching(matching));
}

function statsOfMatching({ workspace_id, session_ids, since, matching: asked }: MatchingRuns) {
  return {
    workspace_id,
    search: {
      by: { kind: 'sessions', ids: session_ids },
      filter: { session_ids, is_root: true, min_start_time: since },
      asked,
      order: 'desc',
      limit: 1,
      cursor: undefined,
    },
    grouping: { by: 'project' },
    groups: undefined,
  } as const;
}
