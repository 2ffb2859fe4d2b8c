import type { comparisons } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { type Clock, Problem, uuidv7 } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { columnJson, columnText } from '../values/column-text-rules.ts';
import { readDataset } from '../dataset-records/dataset-store.ts';
import { readSharedExperiments } from '../datasets/shared-dataset-work.ts';
import { readExperiments } from '../experiments/experiment-store.ts';
import { readFeedbackStats } from '../feedback/feedback-stats-store.ts';
import { naive, sentInstant } from '../values/instant-rules.ts';
import type { SharingContext } from '../shares/share-work.ts';
import {
  type ComparisonRow,
  deleteComparison,
  insertComparison,
  listComparisons,
} from './comparison-store.ts';

type ComparisonHandlers = Handlers<typeof comparisons>;

export function comparisonHandlers({
  db,
  clock,
  sharing,
}: {
  readonly db: Database;
  readonly clock: Clock;
  readonly sharing: SharingContext;
}): ComparisonHandlers {
  return {
    createComparativeExperiment: async ({ body, workspace_id }) => {
      const { experiment_ids: ids, reference_dataset_id } = body;
      const experiments = await readExperiments(db, {
        workspace_id,
        ids,
        dataset_id: reference_dataset_id ?? undefined,
      });
      const [dataset_id, another] = new Set(experiments.map((one) => one.reference_dataset_id));
      if (dataset_id === undefined || another !== undefined)
        throw new Problem('invalid', 'Experiments can be compared when they are of one dataset.');
      const now = new Date(clock.now()).toISOString();
      const created_at = sentInstant(body.created_at, ['body', 'created_at']) ?? now;
      const row = await insertComparison(db, {
        workspace_id,
        id: body.id ?? uuidv7(),
        name: textSent(body.name),
        description: textSent(body.description),
        reference_dataset_id: dataset_id,
        extra: extraSent(body.extra),
        created_at,
        modified_at: sentInstant(body.modified_at, ['body', 'modified_at']) ?? created_at,
        experiment_ids: ids,
      });
      return comparisonAnswer(row);
    },
    listComparativeExperiments: async ({ params, query, workspace_id }) => {
      const { id: ids, name, name_contains, ...page } = query;
      await readDataset(db, { workspace_id, id: params.dataset_id });
      const filter = { workspace_id, dataset_id: params.dataset_id, ids, name, name_contains };
      return withStats(db, await listComparisons(db, filter, page));
    },
    deleteComparativeExperiment: async ({ params, workspace_id }) => {
      await deleteComparison(db, { workspace_id, id: params.comparative_experiment_id });
      return { message: 'The comparison is deleted.' };
    },
    listSharedComparativeExperiments: async ({ params, query }) => {
      const { name, name_contains, ...page } = query;
      const shared = await readSharedExperiments(sharing, params.share_token);
      const filter = { ...shared, name, name_contains };
      const found = await withStats(db, await listComparisons(db, filter, page));
      return found.map(({ tenant_id: _tenant, reference_dataset_id: _dataset, ...told }) => told);
    },
  };
}

async function withStats(db: Database, rows: readonly ComparisonRow[]) {
  const [first] = rows;
  if (first === undefined) return [];
  const comparison_ids = rows.map((row) => row.id);
  const stats = await readFeedbackStats(db, { workspace_id: first.workspace_id, comparison_ids });
  return rows.map((row) => ({ ...comparisonAnswer(row), feedback_stats: stats.get(row.id) ?? {} }));
}

function comparisonAnswer({ workspace_id, experiments_info, ...row }: ComparisonRow) {
  return {
    ...row,
    tenant_id: workspace_id,
    created_at: naive(row.created_at) ?? '',
    modified_at: naive(row.modified_at) ?? '',
    experiments_info: [...experiments_info],
    feedback_stats: null,
  };
}

const textSent = (text: string | null | undefined) =>
  text === undefined || text === null ? null : columnText(text);

const extraSent = (extra: Record<string, unknown> | null | undefined) =>
  extra === undefined || extra === null ? null : (columnJson(extra, 'extra') as Record<string, unknown>);
