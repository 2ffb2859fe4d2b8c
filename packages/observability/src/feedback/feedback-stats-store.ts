import type { Queryable } from '@roadstead/postgres';
import { listFormulasOf } from './feedback-formula-store.ts';
import { withFormulas } from './feedback-formula-rules.ts';
import type { FeedbackStats } from '../records/feedback-row.ts';
import { type FeedbackShare, statsOf } from './feedback-stats-rules.ts';
import type { InWorkspace, SessionKeys } from '../values/keys.ts';

/** The subjects of the statistics; their ids are the keys of the answer. */
export type FeedbackScope =
  /** `comparison_id`: feedback from other comparisons is left out; from all of them, where it is null. */
  | { readonly run_ids: readonly string[]; readonly comparison_id?: string | null }
  /** `run`: on the runs of a project; `session`: on the project as a whole. */
  | { readonly session_ids: readonly string[]; readonly level: 'run' | 'session' }
  | { readonly session_id: string; readonly thread_ids: readonly string[] }
  | { readonly comparison_ids: readonly string[] };

type Share = FeedbackShare & { readonly id: string; readonly session_id: string | null };

/** Statistics by run, project, thread or comparison; a subject without feedback is left out. */
export async function readFeedbackStats(
  db: Queryable,
  { workspace_id, ...scope }: InWorkspace & FeedbackScope,
): Promise<Map<string, FeedbackStats>> {
  const shares = await sharesOf(db, workspace_id, scope);
  const session_ids = [...new Set(shares.flatMap((share) => share.session_id ?? []))];
  const formulas = session_ids.length === 0 ? [] : await listFormulasOf(db, { workspace_id, session_ids });
  const ids = Map.groupBy(shares, (share) => share.id);
  return new Map(
    [...ids].map(([id, some]) => {
      const holding = formulas.filter(({ of_session_id }) => some[0]?.session_id === of_session_id);
      return [id, withFormulas(statsOf(some), holding)];
    }),
  );
}

function sharesOf(db: Queryable, workspace_id: string, scope: FeedbackScope): Promise<Share[]> {
  if ('run_ids' in scope) {
    const { run_ids, comparison_id } = scope;
    const of_runs = 'run_id = any ($2::uuid[])';
    return summed(
      db,
      comparison_id === undefined
        ? { id: 'run_id', condition: of_runs, values: [workspace_id, run_ids] }
        : {
            id: 'run_id',
            condition: `${of_runs} and (comparative_experiment_id is null or comparative_experiment_id = $3)`,
            values: [workspace_id, run_ids, comparison_id],
          },
    );
  }
  if ('comparison_ids' in scope)
    return summed(db, {
      id: 'comparative_experiment_id',
      condition: 'comparative_experiment_id = any ($2::uuid[])',
      values: [workspace_id, scope.comparison_ids],
    });
  if ('thread_ids' in scope)
    return summed(db, {
      id: 'thread_id',
      condition: 'session_id = $2 and thread_id = any ($3::text[])',
      values: [workspace_id, scope.session_id, scope.thread_ids],
    });
  return rolledUp(db, workspace_id, scope);
}

/** The median of a key's scores. */
export interface Median {
  readonly session_id: string;
  readonly key: string;
  readonly median: number;
}

/** The median of each key that has scores; `level` as in `FeedbackScope`. */
export async function readMedians(
  db: Queryable,
  { workspace_id, session_ids, level }: SessionKeys & { readonly level: string },
): Promise<Median[]> {
  return db.query<Median>(
    `select s.session_id, s.key, m.median from (
       select session_id, key, sum(scored)::bigint as scored from traces.feedback_rollups
       where workspace_id = $1 and session_id = any ($2::uuid[]) and level = $3 group by 1, 2 having sum(scored) > 0
     ) s cross join lateral (
       select avg(f.score) as median from (
         select f.score from traces.feedback f
         where f.session_id = s.session_id and f.level = $3 and f.key = s.key and f.workspace_id = $1
           and f.score is not null
         order by f.score offset (s.scored - 1) / 2 limit 2 - s.scored % 2
       ) f
     ) m`,
    [workspace_id, session_ids, level],
  );
}

/** Columns of shares `s`; sums are decimal until here, so that small differences of large numbers are not lost. */
const shareColumns = `s.id, s.session_id, s.key, s.source_type, s.label, s.count, s.scored, s.errors, s.sum::float8 as sum,
  (sum(s.squares) over k - power(sum(s.sum) over k, 2) / nullif(sum(s.scored) over k, 0))::float8 as squared_deviations`;
const byKey = 'window k as (partition by s.id, s.key) order by s.key, s.source_type, s.label';

/** Sums over the feedback itself. */
async function summed(
  db: Queryable,
  {
    id,
    condition,
    values,
  }: { readonly id: string; readonly condition: string; readonly values: readonly unknown[] },
): Promise<Share[]> {
  return db.query<Share>(
    `select ${shareColumns}, s.min, s.max, s.comments from (
       select ${id} as id, (array_agg(session_id))[1] as session_id, key, coalesce(source_type, '') as source_type, coalesce(label, '') as label,
         count(*) as count, count(score) as scored, count(*) filter (where error) as errors,
         coalesce(sum(round(score::numeric, 12)), 0) as sum, coalesce(sum(round(score::numeric, 12) ^ 2), 0) as squares,
         min(score) as min, max(score) as max,
         (array_agg(comment order by created_at desc) filter (where comment <> ''))[1:10] as comments
       from traces.feedback where workspace_id = $1 and ${condition} group by ${id}, 3, 4, 5
     ) s ${byKey}`,
    values,
  );
}

/** An extreme is read from the end of an index, even before the planner knows the size of the table. */
const extreme = `select f.score from traces.feedback f
  where f.session_id = s.id and f.level = $3 and f.key = s.key and f.workspace_id = $1 and f.score is not null`;

/** Sums that triggers keep; extremes, which can't be subtracted from a sum, come from the index of scores. */
async function rolledUp(
  db: Queryable,
  workspace_id: string,
  { session_ids, level }: { readonly session_ids: readonly string[]; readonly level: string },
): Promise<Share[]> {
  return db.query<Share>(
    `select ${shareColumns}, e.min, e.max, null as comments from (
       select r.*, r.session_id as id,
         row_number() over (partition by r.session_id, r.key order by r.label, r.source_type) as place
       from traces.feedback_rollups r
       where r.workspace_id = $1 and r.session_id = any ($2::uuid[]) and r.level = $3
     ) s
     left join lateral (
       select (${extreme} order by f.score limit 1) as min, (${extreme} order by f.score desc limit 1) as max
     ) e on s.place = 1
     ${byKey}`,
    [workspace_id, session_ids, level],
  );
}
