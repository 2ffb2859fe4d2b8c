import type { Dataset, datasets } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { uuidv7 } from '@roadstead/kit';
import { changeExamples } from '../examples/example-change-work.ts';
import { sentChange } from '../examples/example-body-codec.ts';
import type { ExampleContext } from '../examples/example-context.ts';
import { sentInstant } from '../values/instant-rules.ts';
import { readOffset, writeOffset } from '../queries/offset-rules.ts';
import { requireSessions } from '../session-records/session-store.ts';
import { metadataFilter } from '../sessions/session-rules.ts';
import {
  datasetAnswer,
  requireConsistent,
  sentMetadata,
  storedObject,
} from '../dataset-records/dataset-rules.ts';
import {
  insertDataset,
  listDatasets,
  markDatasetsDeleted,
  readDataset,
  updateDataset,
} from '../dataset-records/dataset-store.ts';
import type { DatasetId } from '../dataset-records/dataset-row.ts';
import type { InWorkspace } from '../values/keys.ts';
import type { OrderedPage } from '../values/pages.ts';

type DatasetHandlers = Handlers<typeof datasets>;
type CallOf<Name extends keyof DatasetHandlers> = Parameters<DatasetHandlers[Name]>[0];

/** @param removed is called when examples of datasets are to be removed. */
export function datasetHandlers(
  context: ExampleContext,
  removed: (dataset: DatasetId) => void,
): DatasetHandlers {
  const { db } = context;
  const remove = async (workspace_id: string, ids: readonly string[]) => {
    await db.transaction((tx) => markDatasetsDeleted(tx, { workspace_id, ids, now: context.now() }));
    for (const id of ids) removed({ workspace_id, id: id.toLowerCase() });
  };
  return {
    listDatasets: async ({ query, workspace_id }) => {
      const { sort_by_desc: descending, ...asked } = query;
      return list(context, { ...asked, workspace_id, descending });
    },
    listDatasetsV2: async ({ query, workspace_id }) => {
      const { sort_order, page_size: limit, cursor, ...asked } = query;
      const offset = readOffset(cursor, 'query');
      const page = { offset, limit: limit + 1, descending: sort_order === 'desc' };
      const rows = await list(context, { ...asked, ...page, workspace_id });
      const items = rows.slice(0, limit);
      return { items, next_cursor: rows.length > limit ? writeOffset(offset + limit) : null };
    },
    createDataset: async (call) => create(context, call),
    deleteDatasets: async ({ query, workspace_id }) => {
      await remove(workspace_id, query.dataset_ids);
      return { message: 'The datasets are deleted.' };
    },
    readDataset: async ({ params, workspace_id }) =>
      datasetAnswer(await readDataset(db, { workspace_id, id: params.dataset_id })),
    patchDataset: async (call) => patch(context, call),
    deleteDataset: async ({ params, workspace_id }) => {
      await remove(workspace_id, [params.dataset_id]);
      return { message: 'The dataset is deleted.' };
    },
  };
}

type DatasetQuery = Omit<CallOf<'listDatasets'>['query'], 'sort_by_desc'>;

async function list(
  { db }: ExampleContext,
  asked: DatasetQuery & InWorkspace & OrderedPage,
): Promise<Dataset[]> {
  const { workspace_id, sort_by, descending, offset, limit, name, name_contains } = asked;
  const filter = {
    workspace_id,
    ids: asked.id,
    data_types: asked.data_type,
    name,
    name_contains,
    metadata: metadataFilter(asked.metadata),
  };
  // Nothing here has tags of a workspace, so a filter by one finds nothing.
  if (asked.tag_value_id !== undefined && asked.tag_value_id.length > 0) return [];
  const rows = await listDatasets(db, filter, { sort_by, descending, offset, limit });
  const is_uncounted = asked.exclude?.includes('example_count') === true;
  return rows.map((row) => ({ ...datasetAnswer(row), ...(is_uncounted ? { example_count: null } : {}) }));
}

async function create(context: ExampleContext, { body, workspace_id }: CallOf<'createDataset'>) {
  requireConsistent(body);
  const row = {
    workspace_id,
    id: body.id ?? uuidv7(),
    name: body.name,
    description: body.description ?? null,
    data_type: body.data_type,
    inputs_schema_definition: storedObject(body.inputs_schema_definition, 'inputs_schema_definition'),
    outputs_schema_definition: storedObject(body.outputs_schema_definition, 'outputs_schema_definition'),
    transformations: body.transformations ?? null,
    metadata: sentMetadata(body.extra),
    externally_managed: body.externally_managed ?? false,
    created_at: sentInstant(body.created_at, ['body', 'created_at']) ?? context.now(),
  };
  await context.schemas.requireSchemas(row);
  await insertDataset(context.db, row);
  return datasetAnswer(await readDataset(context.db, row));
}

async function patch(context: ExampleContext, { params, body, workspace_id }: CallOf<'patchDataset'>) {
  requireConsistent(body);
  const dataset = { workspace_id, id: params.dataset_id };
  await readDataset(context.db, dataset);
  const object = (name: 'inputs_schema_definition' | 'outputs_schema_definition' | 'metadata') =>
    body[name] === undefined ? undefined : storedObject(body[name], name);
  const { name, description, transformations, baseline_experiment_id } = body;
  const change = {
    name: name ?? undefined,
    description,
    transformations,
    baseline_experiment_id,
    inputs_schema_definition: object('inputs_schema_definition'),
    outputs_schema_definition: object('outputs_schema_definition'),
    metadata: object('metadata'),
  };
  if (typeof baseline_experiment_id === 'string')
    await requireSessions(context.db, { workspace_id, ids: [baseline_experiment_id] });
  await context.schemas.requireSchemas({ workspace_id, ...change });
  const examples = Object.entries(body.patch_examples ?? {});
  const update = (db: Parameters<typeof updateDataset>[0]) =>
    updateDataset(db, dataset, { change, now: context.now() });
  if (examples.length === 0) await update(context.db);
  else {
    const changes = await Promise.all(
      examples.map(async ([id, sent]) =>
        sentChange(Buffer.from(JSON.stringify({ ...sent, id })), `patch_examples.${id}`),
      ),
    );
    await changeExamples(context, { ...dataset, changes, before: update });
  }
  return datasetAnswer(await readDataset(context.db, dataset));
}
