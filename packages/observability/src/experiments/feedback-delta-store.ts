import type { Queryable } from '@roadstead/postgres';
import { SqlValues } from '../filters/filter-sql-store.ts';
import { type ExperimentScope, scopeSql } from './experiment-filter-store.ts';
import type { InWorkspace } from '../values/keys.ts';
import type { OffsetPage } from '../values/pages.ts';

export interface FeedbackDelta {
  readonly session_id: string;
  readonly improved_examples: readonly string[];
  readonly regressed_examples: readonly string[];
}

/**
 * The examples on which experiments score better or worse than a baseline, by the mean over an example's runs.
 * Experiments without a difference are included.
 */
export async function readFeedbackDeltas(
  db: Queryable,
  wanted: InWorkspace &
    OffsetPage & {
      readonly baseline_id: string;
      readonly experiment_ids: readonly string[];
      readonly conditions: ExperimentScope['conditions'];
      readonly key: string;
      readonly is_lower_better: boolean;
      /** The comparison whose pairwise feedback counts. */
      readonly comparison_id: string | null;
    },
): Promise<FeedbackDelta[]> {
  const { baseline_id, experiment_ids } = wanted;
  const values = new SqlValues([wanted.workspace_id]);
  const runs = scopeSql({ ...wanted, experiment_ids: [baseline_id, ...experiment_ids] }, values);
  const baseline = values.add(baseline_id, 'uuid');
  const experiments = values.add(experiment_ids, 'uuid[]');
  const sign = wanted.is_lower_better ? -1 : 1;
  return db.query<FeedbackDelta>(
    `with scores as materialized (
       select r.session_id, r.reference_example_id as example_id, avg(f.score) * ${sign} as score
       from traces.runs r
       join traces.feedback f on f.run_id = r.run_id and f.workspace_id = r.workspace_id
         and f.key = ${values.add(wanted.key, 'text')} and f.score is not null and f.comparative_experiment_id is not distinct from ${values.add(wanted.comparison_id, 'uuid')}
       ${runs.join} where ${runs.where} group by 1, 2
     ), changed as (
       select s.session_id, s.example_id, s.score > b.score as is_better,
         row_number() over (partition by s.session_id order by s.example_id) as place
       from scores s join scores b on b.session_id = ${baseline} and b.example_id = s.example_id
       where s.session_id = any (${experiments}) and s.score <> b.score
     )
     select x.id as session_id,
       coalesce(array_agg(c.example_id order by c.place) filter (where c.is_better), '{}') as improved_examples,
       coalesce(array_agg(c.example_id order by c.place) filter (where not c.is_better), '{}') as regressed_examples
     from unnest(${experiments}) as x(id)
     left join changed c on c.session_id = x.id and c.place > ${wanted.offset} and c.place <= ${wanted.offset + wanted.limit}
     group by x.id`,
    values.values,
  );
}
