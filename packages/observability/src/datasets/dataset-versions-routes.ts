import type { datasetVersions } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { malformed } from '@roadstead/kit';
import type { ExampleContext } from '../examples/example-context.ts';
import { changeMetadata } from '../examples/example-metadata-work.ts';
import { listSplits, readCurrentMetadata } from '../examples/example-store.ts';
import { SPLITS } from '../examples/metadata-operation-rules.ts';
import { lockDataset, readDataset } from '../dataset-records/dataset-store.ts';
import {
  compareVersions,
  type DatasetVersion,
  LATEST,
  listVersions,
  readVersion,
  resolveAsOf,
  tagVersion,
} from '../dataset-records/dataset-version-store.ts';

type VersionHandlers = Handlers<typeof datasetVersions>;

export function datasetVersionHandlers(context: ExampleContext): VersionHandlers {
  const { db } = context;
  const named = (workspace_id: string, { dataset_id }: { readonly dataset_id: string }) =>
    readDataset(db, { workspace_id, id: dataset_id });
  return {
    readDatasetVersion: async ({ params, query, workspace_id }) => {
      const dataset = await named(workspace_id, params);
      if (query.as_of !== undefined && query.tag !== undefined)
        throw malformed(['query', 'tag'], 'must not be given together with as_of');
      return version(
        await readVersion(
          db,
          dataset,
          await resolveAsOf(db, { ...dataset, as_of: query.as_of ?? query.tag }),
        ),
      );
    },
    listDatasetVersions: async ({ params, query, workspace_id }) => {
      const { search, example: example_id, offset, limit } = query;
      const page = { search, example_id, offset, limit };
      return (await listVersions(db, await named(workspace_id, params), page)).map(version);
    },
    compareDatasetVersions: async ({ params, query, workspace_id }) => {
      const dataset = await named(workspace_id, params);
      const from = await resolveAsOf(db, { ...dataset, as_of: query.from_version });
      const to = await resolveAsOf(db, { ...dataset, as_of: query.to_version });
      const { examples_added, examples_removed, examples_modified } = await compareVersions(db, dataset, {
        from,
        to,
      });
      return {
        examples_added: [...examples_added],
        examples_removed: [...examples_removed],
        examples_modified: [...examples_modified],
      };
    },
    tagDatasetVersion: async ({ params, body, workspace_id }) => {
      const { tag } = body;
      if (tag === LATEST) throw malformed(['body', 'tag'], 'is the newest version by itself');
      await named(workspace_id, params);
      return db.transaction(async (tx) => {
        const { locked, dataset } = await lockDataset(tx, { workspace_id, id: params.dataset_id });
        const at = await resolveAsOf(locked, { ...dataset, as_of: body.as_of });
        const as_of = at.kind === 'latest' ? (await readVersion(locked, dataset, at)).as_of : at.as_of;
        await tagVersion(locked, dataset, { as_of, tag });
        return version(await readVersion(locked, dataset, { kind: 'instant', as_of }));
      });
    },
    listDatasetSplits: async ({ params, query, workspace_id }) => {
      const dataset = await named(workspace_id, params);
      const at = await resolveAsOf(db, { ...dataset, as_of: query.as_of });
      return listSplits(db, { workspace_id, dataset_id: dataset.id, at });
    },
    updateDatasetSplits: async ({ params, body, workspace_id }) => {
      const { id } = await named(workspace_id, params);
      const { split_name, examples, remove } = body;
      const before = await readCurrentMetadata(db, { workspace_id, id, example_ids: examples });
      const operation = remove ? 'ARRAY_REMOVE' : 'ARRAY_ADD';
      const operations = [{ key: SPLITS, operation, values: [split_name] } as const];
      const statuses = await changeMetadata(context, { workspace_id, id, example_ids: examples, operations });
      const isIn = (example_id: string) => {
        const splits = JSON.parse(before.get(example_id.toLowerCase())?.get(SPLITS) ?? '[]') as unknown;
        return Array.isArray(splits) && splits.includes(split_name);
      };
      return statuses.flatMap(({ id: one, status }) =>
        status === 'UPDATED' && isIn(one) === remove ? [one] : [],
      );
    },
  };
}

const version = ({ as_of, tags }: DatasetVersion) => ({
  as_of,
  tags: [...tags],
});
