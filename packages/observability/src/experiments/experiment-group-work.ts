import type { observability } from '@roadstead/contracts/observability';
import type { OutputValue } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { naive } from '../values/instant-rules.ts';
import { costNumber } from '../reading/run-answer-rules.ts';
import { readSessionFacts } from '../sessions/session-facts-work.ts';
import { sessionTest } from '../sessions/session-filter-rules.ts';
import { listSessionsWithFacts } from '../sessions/session-list-work.ts';
import type { SessionRow } from '../session-records/session-row.ts';
import { sessionAnswer } from '../sessions/session-rules.ts';
import { sessionStatsOf } from '../statistics/session-stats-rules.ts';
import { readSessionRollups } from '../statistics/session-stats-store.ts';
import { mergedFeedback } from './feedback-merging-rules.ts';
import type { DatasetKey } from '../values/keys.ts';

type GroupsAnswer = OutputValue<NonNullable<typeof observability.groupExperiments.success.body>>;
type GroupsQuery = OutputValue<NonNullable<typeof observability.groupExperiments.body>>;

const MAX_EXPERIMENTS = 1000;

/** The experiments of a dataset, grouped by values of their metadata, the newest group first. */
export async function groupExperiments(
  db: Database,
  { workspace_id, dataset_id, body }: DatasetKey & { readonly body: GroupsQuery },
): Promise<GroupsAnswer> {
  const { dataset_version } = body;
  const filter = {
    workspace_id,
    reference_datasets: [dataset_id],
    name_contains: body.name_contains ?? undefined,
    metadata: dataset_version == null ? undefined : { dataset_version },
  };
  const limit = body.experiment_limit ?? MAX_EXPERIMENTS;
  if (body.stats_start_time != null && body.stats_start_time !== '')
    throw new Problem(
      'invalid',
      '`stats_start_time` is not applied here: an experiment is summed up as a whole.',
    );
  const listed = await listSessionsWithFacts(db, filter, {
    sort_by: 'start_time',
    descending: true,
    offset: 0,
    limit,
    include_stats: false,
    include_facets: false,
    test: body.filter == null || body.filter === '' ? undefined : sessionTest(body.filter),
  });
  const rows = listed.map(({ row }) => row);
  const session_ids = rows.map((row) => row.id);
  const facts = await readSessionFacts(db, { workspace_id, session_ids });
  const rollups = Map.groupBy(
    await readSessionRollups(db, { workspace_id, session_ids }),
    (one) => one.session_id,
  );
  const keys = [...new Set(body.metadata_keys)];
  const groups = Map.groupBy(rows, (row) => JSON.stringify(keys.map((key) => metadataText(row, key))));
  return {
    groups: [...groups.values()].map((some) => {
      const [newest] = some;
      const values = keys.map((key) => ({
        key,
        value: newest === undefined ? null : metadataText(newest, key),
      }));
      const stats = sessionStatsOf(
        some.flatMap((row) => rollups.get(row.id) ?? []),
        undefined,
      );
      return {
        group: values,
        filter: filterText(values),
        experiment_count: some.length,
        run_count: stats.run_count,
        total_tokens: stats.total_tokens,
        total_cost: costNumber(stats.total_cost),
        error_rate: stats.error_rate,
        latency_p50: stats.latency_p50,
        latency_p99: stats.latency_p99,
        min_start_time: naive(some.at(-1)?.start_time) ?? '',
        max_start_time: naive(newest?.start_time) ?? '',
        feedback_stats: mergedFeedback(some.map((row) => facts.get(row.id)?.feedback ?? {})),
        sessions: some.map((row) => sessionAnswer(row, { facts: facts.get(row.id) })),
      };
    }),
  };
}

function metadataText({ extra }: SessionRow, key: string): string | null {
  const { metadata } = (extra ?? {}) as { metadata?: Readonly<Record<string, unknown>> };
  const value = metadata?.[key] ?? null;
  return value === null || typeof value === 'string' ? value : JSON.stringify(value);
}

/** The group as a filter. */
function filterText(values: readonly { readonly key: string; readonly value: string | null }[]): string {
  const parts = values.map(({ key, value }) =>
    value === null
      ? `neq(metadata_key, ${JSON.stringify(key)})`
      : `and(eq(metadata_key, ${JSON.stringify(key)}), eq(metadata_value, ${JSON.stringify(value)}))`,
  );
  return parts.length === 1 ? (parts[0] ?? '') : `and(${parts.join(', ')})`;
}
