import type { RunStats } from '@roadstead/contracts/observability';
import type { Queryable } from '@roadstead/postgres';
import { statsOf } from '../feedback/feedback-stats-rules.ts';
import { readFeedbackStats } from '../feedback/feedback-stats-store.ts';
import { detailNames } from '../records/run-operation.ts';
import { naive } from '../values/instant-rules.ts';
import { costNumber } from '../reading/run-answer-rules.ts';
import { inLimitedTime } from '../queries/run-lookup-store.ts';
import type { RunSearching } from '../queries/run-search-work.ts';
import { requireSessions } from '../session-records/session-store.ts';
import { sessionStatsOf } from './session-stats-rules.ts';
import { readLastStarts, readSessionRollups } from './session-stats-store.ts';
import {
  facetFilter,
  isOfWholeProjects,
  isRolledUp,
  selectedStats,
  type StatsQuery,
  statsOfRollups,
} from './run-stats-rules.ts';
import {
  readDetailSums,
  readFacets,
  readFeedbackShares,
  readStats,
  type StatsOf,
  type StatsRow,
} from './run-stats-store.ts';
import type { InWorkspace, SessionKeys } from '../values/keys.ts';

/**
 * Statistics of runs: those of whole projects come from their rollups, everything else from reading each run. In a
 * project with more roots than this, statistics without a rollup are left out unless they are selected by name.
 */
const MOST_READ = 50_000;

/** The statistics by group, or under the empty name without grouping. */
export async function readRunStats(
  { db, digest }: RunSearching,
  { workspace_id, asked }: InWorkspace & { readonly asked: StatsQuery },
): Promise<Map<string, RunStats>> {
  const { search, grouping, groups } = asked;
  const session_ids = search.filter.session_ids ?? [];
  if (search.by.kind === 'sessions') await requireSessions(db, { workspace_id, ids: session_ids });
  await digest.caughtUp(workspace_id);
  return inLimitedTime(db, async (tx) => {
    if (isOfWholeProjects(asked)) {
      const stats = await ofProjects(tx, { workspace_id, session_ids, asked });
      if (stats !== undefined) return new Map([['', stats]]);
    }
    return ofRuns(tx, { workspace_id, search, grouping, groups }, asked);
  });
}

const only_read = ['latency_avg', 'median_tokens', 'tokens_p99', 'cost_p50', 'cost_p99'] as const;

async function ofProjects(
  db: Queryable,
  of: SessionKeys & { readonly asked: StatsQuery },
): Promise<RunStats | undefined> {
  const last = [...(await readLastStarts(db, of)).values()].toSorted().at(-1);
  const stats = sessionStatsOf(await readSessionRollups(db, of), last);
  const is_small = stats.run_count <= MOST_READ;
  if (is_small && !isRolledUp(of.asked, only_read)) return undefined;
  if (!isRolledUp(of.asked, ['run_facets', 'prompt_token_details'])) return undefined;
  const feedback = await readFeedbackStats(db, { ...of, level: 'run' });
  const [only, ...others] = of.session_ids;
  if (others.length > 0 && of.asked.wants('feedback_stats')) return undefined;
  return selectedStats(
    { ...statsOfRollups(stats), feedback_stats: feedback.get(only ?? '') ?? {} },
    of.asked,
  );
}

async function ofRuns(db: Queryable, of: StatsOf, asked: StatsQuery): Promise<Map<string, RunStats>> {
  const rows = await readStats(db, of, asked);
  const grouped = rows.flatMap(({ g }) => g ?? []);
  const same: StatsOf = of.grouping === undefined ? of : { ...of, groups: grouped };
  const wants_details = detailNames.some(asked.wants);
  const details = wants_details ? await readDetailSums(db, same) : [];
  const feedback = asked.wants('feedback_stats') ? await readFeedbackShares(db, same) : [];
  const facets = asked.wants('run_facets') ? await readFacets(db, same) : [];
  return new Map(
    rows.map((row) => {
      const ofGroup = <T extends { readonly g: string | null }>(all: readonly T[]) =>
        all.filter(({ g }) => g === row.g);
      const sums = ofGroup(details);
      const stats: RunStats = {
        ...numbersOf(row),
        ...Object.fromEntries(
          detailNames.map((name) => [
            name,
            Object.fromEntries(
              sums.filter((sum) => sum.name === name).map(({ key, amount }) => [key, amount]),
            ),
          ]),
        ),
        feedback_stats: statsOf(ofGroup(feedback)),
        run_facets: ofGroup(facets).map(({ key, value, n }) => ({
          key,
          value,
          n,
          query: facetFilter({ key, value }),
        })),
      };
      return [row.g ?? '', selectedStats(stats, asked)];
    }),
  );
}

function numbersOf({ g: _group, ...row }: StatsRow): RunStats {
  return {
    ...row,
    last_run_start_time: naive(row.last_run_start_time),
    prompt_cost: costNumber(row.prompt_cost),
    completion_cost: costNumber(row.completion_cost),
    total_cost: costNumber(row.total_cost),
  };
}
