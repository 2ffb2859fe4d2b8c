import type { Queryable } from '@roadstead/postgres';
import type { ReadAt } from '../dataset-records/dataset-version-store.ts';
import { SqlValues } from '../filters/filter-sql-store.ts';
import { type ExperimentScope, scopeSql } from './experiment-filter-store.ts';
import type { FoundRun } from '../queries/run-query-store.ts';
import { foundColumns } from '../queries/run-sql-store.ts';

/** Finds the runs of experiments by the examples that they are about. */

/** The value by which examples are sorted: the mean over their runs. */
export type ExampleSort =
  | { readonly by: 'feedback'; readonly key: string; readonly descending: boolean }
  | { readonly by: 'latency' | 'total_tokens' | 'total_cost' | 'start_time'; readonly descending: boolean };

export interface ExamplePage {
  readonly dataset_id: string;
  readonly at: ReadAt;
  readonly example_ids: readonly string[] | undefined;
  readonly sort: ExampleSort | undefined;
  /** The comparison whose pairwise feedback counts; null where all of it is left out. */
  readonly comparison_id: string | null;
  readonly offset: number;
  readonly limit: number;
}

const sortedBy: Readonly<Record<Exclude<ExampleSort['by'], 'feedback'>, string>> = {
  latency: 'extract(epoch from r.end_time - least(r.start_time, r.end_time))',
  total_tokens: 'coalesce(t.total_tokens, r.total_tokens)',
  total_cost: 'coalesce(t.total_cost, r.total_cost)',
  start_time: 'extract(epoch from r.start_time)',
};

/**
 * A page of the examples that have runs in the experiments, plus one more where a next page exists. An example counts
 * when each experiment with a condition has a run of it that meets the condition.
 */
export async function listRunExampleIds(
  db: Queryable,
  scope: ExperimentScope,
  page: ExamplePage,
): Promise<string[]> {
  const values = new SqlValues([scope.workspace_id]);
  const runs = scopeSql(scope, values);
  const dataset = values.add(page.dataset_id, 'uuid');
  const as_of = values.add(page.at.kind === 'latest' ? null : page.at.as_of, 'timestamptz');
  const only = values.add(page.example_ids ?? null, 'uuid[]');
  const filtered = values.add(runs.filtered_ids, 'uuid[]');
  const sort = sortOf(page, values);
  const rows = await db.query<{ example_id: string }>(
    `select e.example_id from (
       select r.reference_example_id as example_id, ${sort.value} as sorted,
         count(distinct r.session_id) filter (where r.session_id = any (${filtered})) as met
       from traces.runs r
       left join traces.traces t on t.trace_id = r.trace_id and t.workspace_id = r.workspace_id
       ${sort.join} ${runs.join} where ${runs.where} group by 1
     ) m
     join traces.examples e on e.workspace_id = $1 and e.example_id = m.example_id and e.dataset_id = ${dataset}
       and (${as_of} is null and e.valid_to is null
         or e.valid_from <= ${as_of} and (e.valid_to is null or e.valid_to > ${as_of}))
     where m.met = cardinality(${filtered})
       and (${only} is null or e.example_id = any (${only}))
     order by ${sort.order} e.created_at desc, e.position limit ${page.limit + 1} offset ${page.offset}`,
    values.values,
  );
  return rows.map((row) => row.example_id);
}

/** Oldest first. */
export async function listExampleRuns(
  db: Queryable,
  { scope, example_ids }: { readonly scope: ExperimentScope; readonly example_ids: readonly string[] },
): Promise<FoundRun[]> {
  if (example_ids.length === 0) return [];
  const values = new SqlValues([scope.workspace_id]);
  const runs = scopeSql(scope, values);
  return db.query<FoundRun>(
    `select ${foundColumns} from traces.runs r ${runs.join} where ${runs.where} and r.reference_example_id = any (${values.add(example_ids, 'uuid[]')})
     order by r.start_time, r.run_id`,
    values.values,
  );
}

function sortOf({ sort, comparison_id }: ExamplePage, values: SqlValues) {
  if (sort === undefined) return { value: 'null::float8', join: '', order: '' };
  const order = `m.sorted ${sort.descending ? 'desc' : 'asc'} nulls last,`;
  if (sort.by !== 'feedback') return { value: `avg(${sortedBy[sort.by]})::float8`, join: '', order };
  return {
    value: 'avg(f.score)',
    join: `left join traces.feedback f on f.run_id = r.run_id and f.workspace_id = r.workspace_id
       and f.key = ${values.add(sort.key, 'text')}
       and (f.comparative_experiment_id is null or f.comparative_experiment_id = ${values.add(comparison_id, 'uuid')})`,
    order,
  };
}
