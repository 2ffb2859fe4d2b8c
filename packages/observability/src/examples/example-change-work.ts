import { Problem } from '@roadstead/kit';
import type { Queryable } from '@roadstead/postgres';
import { withStoredBlobs } from '../attachments/blob-receipt-work.ts';
import { recordBlobs } from '../attachments/blob-store.ts';
import type { DatasetRow } from '../dataset-records/dataset-row.ts';
import { readDataset } from '../dataset-records/dataset-store.ts';
import { insertVersion } from '../dataset-records/dataset-version-store.ts';
import { changedAttachments } from './attachment-rules.ts';
import type { SentExample } from './example-body-codec.ts';
import type { ExampleContext } from './example-context.ts';
import { lockUnchanged, storedFile, type WrittenExamples } from './example-creation-work.ts';
import { writtenPayloads } from './example-preparation-work.ts';
import { readCurrentAttachments } from './example-store.ts';
import {
  closeExamples,
  type ExampleChange,
  findDatasetsOf,
  insertChangedExamples,
  insertExampleAttachments,
} from './example-write-store.ts';
import type { ExampleKeys, InWorkspace } from '../values/keys.ts';

/** Changes examples of one dataset: all of the changes are made, as one version, or no change at all. */

/** Whether the example is replaced; its files stay unless the change mentions them. */
const isWhole = ({ fields }: SentExample) => fields.overwrite === true;
const noInputs = Buffer.from('{}');

const noSuchExample = () => new Problem('not_found', 'There is no such example.');

/**
 * The dataset of the examples to be changed.
 * @throws Problem `not_found` where one is missing, `conflict` where they are in several datasets, or in another one.
 */
export async function requireOneDataset(
  db: Queryable,
  wanted: ExampleKeys & { readonly dataset_ids: readonly string[] },
): Promise<string> {
  const example_ids = [...new Set(wanted.example_ids)];
  const found = await findDatasetsOf(db, { workspace_id: wanted.workspace_id, example_ids });
  const count = [...found.values()].reduce((sum, ids) => sum + ids.length, 0);
  const [id] = found.keys();
  if (id === undefined || count < example_ids.length) throw noSuchExample();
  if (found.size > 1 || wanted.dataset_ids.some((one) => one.toLowerCase() !== id))
    throw new Problem('conflict', 'The examples are not all in this one dataset.');
  return id;
}

/** @throws Problem where something is wrong; then nothing is changed. */
export async function changeExamples(
  context: ExampleContext,
  {
    workspace_id,
    changes,
    id,
    before,
  }: InWorkspace & {
    readonly changes: readonly SentExample[];
    /** The dataset that the client names. */
    readonly id?: string | undefined;
    /** Work that comes first in the same transaction. */
    readonly before?: (tx: Queryable) => Promise<void>;
  },
): Promise<WrittenExamples> {
  const named = changes.map(({ fields }) => (fields.id ?? '').toLowerCase());
  const said = changes.flatMap(({ fields }) => fields.dataset_id ?? []);
  const dataset_id = await requireOneDataset(context.db, {
    workspace_id,
    example_ids: named,
    dataset_ids: id === undefined ? said : [id, ...said],
  });
  if (new Set(named).size < named.length)
    throw new Problem('conflict', 'One example is changed twice in the same request.');
  const dataset = await readDataset(context.db, { workspace_id, id: dataset_id });
  const examples = changes.map((one) => ({
    ...one,
    inputs: one.inputs ?? (isWhole(one) ? noInputs : undefined),
  }));
  const written = await writtenPayloads(context, { dataset, examples });
  const rows = changes.map((change, index): ExampleChange => ({
    example_id: named[index] ?? '',
    metadata: change.metadata,
    splits: change.splits,
    is_whole: isWhole(change),
    inputs: written[index]?.inputs,
    outputs: written[index]?.outputs,
  }));
  const as_of = await writeChanges(context, { dataset, rows, changes, before });
  return { as_of, example_ids: named };
}

async function writeChanges(
  { db, blobs, now }: ExampleContext,
  {
    dataset,
    rows,
    changes,
    before,
  }: {
    readonly dataset: DatasetRow;
    readonly rows: readonly ExampleChange[];
    readonly changes: readonly SentExample[];
    readonly before: ((tx: Queryable) => Promise<void>) | undefined;
  },
): Promise<string> {
  const files = changes.flatMap(({ attachments }) => attachments);
  return withStoredBlobs({ blobs, contents: files.map(({ content }) => content) }, async (stored) => {
    const blobOf = new Map(files.map((file, index) => [file, stored[index]]));
    return db.transaction(async (tx) => {
      const { locked } = await lockUnchanged(tx, dataset);
      await before?.(tx);
      const example_ids = rows.map(({ example_id }) => example_id);
      const present = await readCurrentAttachments(tx, { ...dataset, example_ids });
      const attachments = changes.flatMap((change, index) => {
        const example_id = example_ids[index] ?? '';
        const sent = change.attachments.map((file) => storedFile(file, blobOf.get(file)));
        const operations = change.attachments_operations;
        return changedAttachments(present.get(example_id) ?? [], { sent, operations }).map(
          ({ name, content_type, digest, size }) => ({ example_id, name, content_type, digest, size }),
        );
      });
      const as_of = await insertVersion(locked, dataset, { now: now(), example_change: 0 });
      const version = { dataset, as_of };
      const closed = await closeExamples(locked, { ...version, example_ids });
      if (closed.length < rows.length) throw noSuchExample();
      await insertChangedExamples(locked, { ...version, rows });
      await recordBlobs(locked, attachments);
      await insertExampleAttachments(locked, { ...version, attachments });
      return as_of;
    });
  });
}
