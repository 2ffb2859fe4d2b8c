import { Problem } from '@roadstead/kit';
import type { Queryable } from '@roadstead/postgres';
import type { ReadAt } from '../dataset-records/dataset-version-store.ts';
import type { ExampleRecord } from '../examples/example-row.ts';
import { listExamples } from '../examples/example-store.ts';
import { instantOf } from '../values/instant-rules.ts';
import type { FeedbackStats } from '../records/feedback-row.ts';
import { readFeedbackStats } from '../feedback/feedback-stats-store.ts';
import { listFeedback } from '../feedback/feedback-store.ts';
import type { FoundRun } from '../queries/run-query-store.ts';
import { readRecords, type RunReader } from '../reading/run-reader-work.ts';
import type { RecordSelection } from '../reading/run-record.ts';
import type { ComparedExample } from './experiment-answer-rules.ts';
import { experimentConditions, type ExperimentScope } from './experiment-filter-store.ts';
import {
  type ExamplePage,
  type ExampleSort,
  listExampleRuns,
  listRunExampleIds,
} from './experiment-runs-store.ts';
import { type Experiment, readExperiments } from './experiment-store.ts';

/** Reads examples with the runs that experiments made of them. */

export interface ExperimentQuery {
  readonly workspace_id: string;
  readonly dataset_id: string;
  readonly experiment_ids: readonly string[];
  readonly example_ids?: readonly string[] | null | undefined;
  /** Expressions of the filter language by experiment. */
  readonly filters?: Readonly<Record<string, readonly string[]>> | null | undefined;
  readonly sort?: ExampleSort | undefined;
  /** The comparison whose pairwise feedback counts. */
  readonly comparison_id?: string | null | undefined;
  readonly offset: number;
  readonly limit: number;
}

export interface ExampleWithRuns {
  readonly example: ExampleRecord;
  /** Oldest first. */
  readonly runs: readonly FoundRun[];
}

export interface ExperimentPage {
  readonly experiments: readonly Experiment[];
  readonly scope: ExperimentScope;
  readonly at: ReadAt;
  readonly examples: readonly ExampleWithRuns[];
  readonly has_more: boolean;
}

/** @throws Problem `not_found` without one of the experiments, `invalid` where one is of another dataset. */
export async function readExperimentPage(db: Queryable, asked: ExperimentQuery): Promise<ExperimentPage> {
  const { workspace_id, dataset_id } = asked;
  const ids = [...new Set(asked.experiment_ids.map((id) => id.toLowerCase()))];
  const experiments = await readExperiments(db, { workspace_id, dataset_id, ids });
  const scope: ExperimentScope = {
    workspace_id,
    experiment_ids: ids,
    conditions: experimentConditions(asked.filters, ids),
  };
  const at = versionOf(experiments);
  const page: ExamplePage = {
    dataset_id,
    at,
    example_ids: asked.example_ids ?? undefined,
    sort: asked.sort,
    comparison_id: asked.comparison_id ?? null,
    offset: asked.offset,
    limit: asked.limit,
  };
  const found = await listRunExampleIds(db, scope, page);
  const example_ids = found.slice(0, asked.limit);
  const examples = await examplesWithRuns(db, { scope, at, dataset_id, example_ids });
  return { experiments, scope, at, examples, has_more: found.length > asked.limit };
}

/** Examples with their runs, in the order of the ids. */
export async function examplesWithRuns(
  db: Queryable,
  wanted: {
    readonly scope: ExperimentScope;
    readonly at: ReadAt;
    readonly dataset_id: string;
    readonly example_ids: readonly string[];
  },
): Promise<ExampleWithRuns[]> {
  const { scope, at, dataset_id, example_ids } = wanted;
  if (example_ids.length === 0) return [];
  const filter = { workspace_id: scope.workspace_id, dataset_id, at, ids: example_ids };
  const all = { order: 'id', descending: false, offset: 0, limit: example_ids.length } as const;
  const examples = new Map((await listExamples(db, filter, all)).map((one) => [one.row.example_id, one]));
  const runs = Map.groupBy(
    await listExampleRuns(db, { scope, example_ids }),
    (run) => run.reference_example_id,
  );
  return example_ids.flatMap((id) => {
    const example = examples.get(id);
    return example === undefined ? [] : [{ example, runs: runs.get(id) ?? [] }];
  });
}

/** Clients write a version with milliseconds, though it has microseconds. */
const LATER_MS = 1;

/** The version that experiments saw: the newest of those that they name; without one, the examples as they are. */
export function versionOf(experiments: readonly Experiment[]): ReadAt {
  const said = experiments.map(({ dataset_version }) => instantOf(dataset_version));
  const known = said.filter((instant) => instant !== undefined);
  if (known.length < said.length) return { kind: 'latest' };
  const newest = known.reduce((a, b) => (a > b ? a : b));
  return { kind: 'instant', as_of: new Date(Date.parse(newest) + LATER_MS).toISOString() };
}

/** @throws Problem `invalid` for a field that examples are not sorted by. */
export function exampleSortOf(
  sent: { readonly by: string; readonly order?: string | null | undefined } | undefined,
): ExampleSort | undefined {
  if (sent === undefined) return undefined;
  const descending = sent.order !== 'ASC';
  const name = sent.by;
  if (name === 'latency' || name === 'total_tokens' || name === 'total_cost' || name === 'start_time')
    return { by: name, descending };
  const key = name.replace(/^feedback\./, '');
  if (key === '')
    throw new Problem(
      'invalid',
      'Examples are sorted by `feedback.{key}`, latency, total_tokens, total_cost or start_time.',
    );
  return { by: 'feedback', key, descending };
}

/** The limit on feedback for a page of runs. */
const ALL_FEEDBACK = { limit: 20_000, offset: 0 };

/** Adds the shown fields of the runs; pairwise feedback only of the comparison that is asked about. */
export async function comparedOf(
  reader: RunReader,
  examples: readonly ExampleWithRuns[],
  {
    wanted,
    comparison_id = null,
  }: { readonly wanted: RecordSelection; readonly comparison_id?: string | null | undefined },
): Promise<ComparedExample[]> {
  const rows = examples.flatMap(({ runs }) => runs);
  const [first] = rows;
  if (first === undefined) return examples.map(({ example }) => ({ example, runs: [] }));
  const of = { workspace_id: first.workspace_id, run_ids: rows.map((row) => row.run_id) };
  const stats = wanted.facts.has('feedback')
    ? await readFeedbackStats(reader.db, { ...of, comparison_id })
    : new Map<string, FeedbackStats>();
  const facts = new Set([...wanted.facts].filter((fact) => fact !== 'feedback'));
  const records = new Map(
    (await readRecords(reader, rows, { ...wanted, facts })).map((one) => [
      one.row.run_id,
      { ...one, related: { ...one.related, feedback_stats: stats.get(one.row.run_id) } },
    ]),
  );
  const feedback = Map.groupBy(
    (await listFeedback(reader.db, of, ALL_FEEDBACK)).filter(
      ({ comparative_experiment_id: of_comparison }) =>
        of_comparison === null || of_comparison === comparison_id?.toLowerCase(),
    ),
    (one) => one.run_id,
  );
  return examples.map(({ example, runs }) => ({
    example,
    runs: runs.flatMap(({ run_id }) => {
      const record = records.get(run_id);
      return record === undefined ? [] : [{ record, feedback: feedback.get(run_id) ?? [] }];
    }),
  }));
}
