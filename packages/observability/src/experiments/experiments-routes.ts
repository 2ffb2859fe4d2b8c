import type { experiments } from '@roadstead/contracts/observability';
import type { OutputValue } from '@roadstead/contracts';
import type { Handlers } from '@roadstead/http';
import type { Database } from '@roadstead/postgres';
import type { WorkspacesOf } from '../workspaces/workspaces.ts';
import { readDataset } from '../dataset-records/dataset-store.ts';
import { readSharedExperiments } from '../datasets/shared-dataset-work.ts';
import type { Digest } from '../digest/digest-loop.ts';
import { readUserNames } from '../workspaces/user-names-work.ts';
import { listFeedbackConfigs } from '../feedback/feedback-config-store.ts';
import { jsonAnswer, listText } from '../reading/json-answer.ts';
import { readOffset, writeOffset } from '../queries/offset-rules.ts';
import { queryAnswer } from '../reading/query-answer.ts';
import { selectionV2Of, type LinkOptions } from '../reading/run-answer-v2-rules.ts';
import { inLimitedTime } from '../queries/run-lookup-store.ts';
import type { RunReader } from '../reading/run-reader-work.ts';
import { comparedMembers, comparedV2Members, shownOfRuns } from './experiment-answer-rules.ts';
import { experimentsCsv } from './experiment-csv-rules.ts';
import { experimentConditions } from './experiment-filter-store.ts';
import {
  type ExperimentQuery,
  comparedOf,
  exampleSortOf,
  type ExperimentPage,
  readExperimentPage,
} from './experiment-reader-work.ts';
import { readExperiments } from './experiment-store.ts';
import { readFeedbackDeltas } from './feedback-delta-store.ts';

type ExperimentHandlers = Handlers<typeof experiments>;
type RunsQuery = OutputValue<NonNullable<typeof experiments.listExamplesWithRuns.body>>;
type DeltaQuery = OutputValue<NonNullable<typeof experiments.compareExperimentFeedback.body>>;

export interface ExperimentsOf {
  readonly reader: RunReader;
  readonly digest: Pick<Digest, 'caughtUp'>;
  readonly links: LinkOptions;
  readonly workspaces: WorkspacesOf;
}

interface DatasetCall<Body> {
  readonly workspace_id: string;
  readonly dataset_id: string;
  readonly body: Body;
}

export function experimentHandlers(of: ExperimentsOf): ExperimentHandlers {
  const { reader, links } = of;
  const { db, addresses, sharing } = reader;
  const sharedDataset = (token: string) => readSharedExperiments(sharing, token);
  return {
    listExamplesWithRuns: async ({ params, query, body, workspace_id }) => {
      const asked = { workspace_id, dataset_id: params.dataset_id, body };
      return query.format === 'csv' ? csvOf(of, asked) : listOf(of, asked);
    },
    listSharedExamplesWithRuns: async ({ params, body }) =>
      // The holder of a link learns no names.
      listOf(of, {
        ...(await sharedDataset(params.share_token)),
        body: { ...body, include_annotator_detail: false },
      }),
    listExperimentRuns: async ({ params, body, workspace_id, request }) => {
      const offset = readOffset(body.cursor, 'body');
      const limit = body.page_size ?? V2_PAGE;
      const page = await pageOf(of, {
        workspace_id,
        dataset_id: params.dataset_id,
        experiment_ids: body.experiment_ids,
        example_ids: body.example_ids,
        filters: body.filters,
        sort: body.sort?.by == null ? undefined : exampleSortOf({ by: body.sort.by, order: body.sort.order }),
        comparison_id: body.comparative_experiment_id,
        offset,
        limit,
      });
      const selection = selectionV2Of(body.selects);
      const compared = await comparedOf(reader, page.examples, {
        wanted: selection,
        comparison_id: body.comparative_experiment_id,
      });
      const items = compared.map((one) => comparedV2Members(one, { selection, links, addresses }));
      return queryAnswer(request, { items, next_cursor: page.has_more ? writeOffset(offset + limit) : null });
    },
    compareExperimentFeedback: async ({ params, body, workspace_id }) =>
      deltasOf(db, { workspace_id, dataset_id: params.dataset_id, body }),
    compareSharedExperimentFeedback: async ({ params, body }) =>
      deltasOf(db, { ...(await sharedDataset(params.share_token)), body }),
  };
}

const V1_PAGE = 10;
const V2_PAGE = 20;
const CSV_ROWS = 1000;

async function pageOf({ reader, digest }: ExperimentsOf, asked: ExperimentQuery): Promise<ExperimentPage> {
  await readDataset(reader.db, { workspace_id: asked.workspace_id, id: asked.dataset_id });
  if (asked.filters !== undefined && asked.filters !== null) await digest.caughtUp(asked.workspace_id);
  return inLimitedTime(reader.db, (tx) => readExperimentPage(tx, asked));
}

const askedRuns = (
  { workspace_id, dataset_id, body }: DatasetCall<RunsQuery>,
  limit: number,
): ExperimentQuery => ({
  workspace_id,
  dataset_id,
  experiment_ids: body.session_ids,
  example_ids: body.example_ids,
  filters: body.filters,
  sort: body.sort_params
    ? exampleSortOf({ by: body.sort_params.sort_by, order: body.sort_params.sort_order })
    : undefined,
  comparison_id: body.comparative_experiment_id,
  offset: body.offset ?? 0,
  limit: body.limit ?? limit,
});

async function listOf(of: ExperimentsOf, asked: DatasetCall<RunsQuery>): Promise<Response> {
  const page = await pageOf(of, askedRuns(asked, V1_PAGE));
  const selection = shownOfRuns(asked.body);
  const { compared, names } = await shownOf(of, page, asked);
  const { addresses } = of.reader;
  return jsonAnswer(listText(compared.map((one) => comparedMembers(one, { selection, addresses, names }))));
}

async function csvOf(of: ExperimentsOf, asked: DatasetCall<RunsQuery>): Promise<Response> {
  const page = await pageOf(of, askedRuns(asked, CSV_ROWS));
  const { compared, names } = await shownOf(of, page, asked);
  const { experiments } = page;
  const shown = { experiments, names, preview: asked.body.preview === true };
  return jsonAnswer(experimentsCsv(compared, shown), 'text/csv; charset=utf-8');
}

/** The shown fields, with the names of the people who gave feedback where they are asked for. */
async function shownOf(of: ExperimentsOf, page: ExperimentPage, { body }: DatasetCall<RunsQuery>) {
  const { comparative_experiment_id: comparison_id, include_annotator_detail } = body;
  const compared = await comparedOf(of.reader, page.examples, { wanted: shownOfRuns(body), comparison_id });
  const feedback = compared.flatMap(({ runs }) => runs.flatMap((run) => run.feedback));
  const names = include_annotator_detail === true ? await readUserNames(of.workspaces, feedback) : undefined;
  return { compared, names };
}

async function deltasOf(db: Database, { workspace_id, dataset_id, body }: DatasetCall<DeltaQuery>) {
  await readDataset(db, { workspace_id, id: dataset_id });
  const baseline_id = body.baseline_session_id.toLowerCase();
  const experiment_ids = [...new Set(body.comparison_session_ids.map((id) => id.toLowerCase()))];
  const ids = [...new Set([baseline_id, ...experiment_ids])];
  await readExperiments(db, { workspace_id, dataset_id, ids });
  const wanted = { workspace_id, keys: [body.feedback_key], name_contains: undefined };
  const [config] = await listFeedbackConfigs(db, wanted, { descending: false, limit: 1, offset: 0 });
  const delta = {
    workspace_id,
    baseline_id,
    experiment_ids,
    conditions: experimentConditions(body.filters, ids),
    key: body.feedback_key,
    is_lower_better: config?.is_lower_score_better === true,
    comparison_id: body.comparative_experiment_id ?? null,
    limit: body.limit ?? 100,
    offset: body.offset ?? 0,
  };
  const deltas = await inLimitedTime(db, (tx) => readFeedbackDeltas(tx, delta));
  return {
    feedback_deltas: Object.fromEntries(
      deltas.map(({ session_id, ...delta }) => [
        session_id,
        {
          improved_examples: [...delta.improved_examples],
          regressed_examples: [...delta.regressed_examples],
        },
      ]),
    ),
  };
}
