import type { StoredBlob } from '@roadstead/blobs';
import { malformed, Problem, TimeSlice, uuidv7 } from '@roadstead/kit';
import type { Queryable, Transaction } from '@roadstead/postgres';
import { withStoredBlobs } from '../attachments/blob-receipt-work.ts';
import { recordBlobs } from '../attachments/blob-store.ts';
import type { DatasetRow } from '../dataset-records/dataset-row.ts';
import { lockDataset, readDataset } from '../dataset-records/dataset-store.ts';
import { insertVersion } from '../dataset-records/dataset-version-store.ts';
import { sentInstant } from '../values/instant-rules.ts';
import { requireObject, type SentExample, type SentFile } from './example-body-codec.ts';
import type { ExampleContext } from './example-context.ts';
import { type WrittenPayloads, writtenPayloads } from './example-preparation-work.ts';
import type { ExampleAttachment } from './example-row.ts';
import { insertExampleAttachments, insertExamples, type NewExample } from './example-write-store.ts';
import { readSourceRun, type SourceRun } from './source-run-work.ts';
import type { InWorkspace } from '../values/keys.ts';

/**
 * Adds examples to datasets: everything is decided before anything is written, and either all of it is written or
 * nothing.
 */

/** The parts of the context that preparing examples needs. */
export type PreparedWith = Pick<ExampleContext, 'schemas' | 'now'> & { readonly db: Queryable };

export interface PreparedExample {
  readonly row: NewExample;
  /** Files that are blobs already, and files that are to become blobs. */
  readonly kept: readonly ExampleAttachment[];
  readonly sent: readonly SentFile[];
}

export interface WrittenExamples {
  readonly as_of: string;
  readonly example_ids: readonly string[];
}

const BASE_SPLIT = 'base';

/** @throws Problem where an example doesn't fit the dataset, or is no example. */
export async function prepareExamples(
  context: PreparedWith,
  { dataset, sent }: { readonly dataset: DatasetRow; readonly sent: readonly SentExample[] },
): Promise<PreparedExample[]> {
  const slice = new TimeSlice();
  const pause = async () => {
    if (slice.isOver()) await slice.next();
  };
  const sources: (SourceRun | undefined)[] = [];
  const payloads = [];
  for (const example of sent) {
    const source = await readSourceRun(context, dataset.workspace_id, example);
    sources.push(source);
    const { inputs = example.inputs, outputs = example.outputs } = source ?? {};
    if (inputs === undefined) throw malformed([...example.at.split('.'), 'inputs'], 'is required', 'missing');
    if (source?.inputs !== undefined) await requireObject(source.inputs, ['source_run', 'inputs']);
    if (source?.outputs !== undefined) await requireObject(source.outputs, ['source_run', 'outputs']);
    payloads.push({ at: example.at, inputs, outputs, run_tools: source?.tools });
    await pause();
  }
  const written = await writtenPayloads(context, { dataset, examples: payloads });
  const now = context.now();
  const prepared: PreparedExample[] = [];
  for (const [index, example] of sent.entries()) {
    prepared.push(preparedExample(example, { written: written[index], source: sources[index], now }));
    await pause();
  }
  return prepared;
}

function preparedExample(
  { fields, at, metadata = '{}', splits = [BASE_SPLIT], attachments }: SentExample,
  {
    written: { inputs, outputs } = { inputs: undefined, outputs: undefined },
    source,
    now,
  }: {
    readonly written: WrittenPayloads | undefined;
    readonly source: SourceRun | undefined;
    readonly now: string;
  },
): PreparedExample {
  if (inputs === undefined) throw new Error('An example has inputs.');
  const taken = source?.attachments;
  return {
    row: {
      example_id: (fields.id ?? uuidv7()).toLowerCase(),
      created_at: sentInstant(fields.created_at, [...at.split('.'), 'created_at']) ?? now,
      source_run_id: fields.source_run_id ?? null,
      metadata,
      splits,
      inputs,
      outputs,
    },
    kept: taken ?? [],
    sent: taken === undefined ? attachments : [],
  };
}

interface PreparedGroup {
  readonly dataset: DatasetRow;
  readonly examples: readonly PreparedExample[];
}

/** @throws Problem `not_found` without the dataset, `conflict` where an example of an id exists already. */
export async function createExamples(
  context: ExampleContext,
  {
    workspace_id,
    sent,
  }: InWorkspace & { readonly sent: readonly (SentExample & { readonly dataset_id: string })[] },
): Promise<WrittenExamples> {
  const groups: PreparedGroup[] = [];
  for (const [id, examples] of Map.groupBy(sent, ({ dataset_id }) => dataset_id.toLowerCase())) {
    const dataset = await readDataset(context.db, { workspace_id, id });
    groups.push({ dataset, examples: await prepareExamples(context, { dataset, sent: examples }) });
  }
  const as_of = await writeExamples(context, { groups });
  const prepared = new Map(
    groups.flatMap(({ dataset, examples }) => {
      const ids = sent.filter(({ dataset_id }) => dataset_id.toLowerCase() === dataset.id);
      return ids.map((one, index) => [one, examples[index]?.row.example_id ?? ''] as const);
    }),
  );
  return { as_of, example_ids: sent.map((one) => prepared.get(one) ?? '') };
}

/**
 * Writes prepared examples in one transaction.
 * @param before comes first in that transaction, for example to make the dataset.
 */
export async function writeExamples(
  { db, blobs, now }: ExampleContext,
  {
    groups,
    before,
  }: {
    readonly groups: readonly PreparedGroup[];
    readonly before?: (tx: Transaction) => Promise<void>;
  },
): Promise<string> {
  const files = groups.flatMap(({ examples }) => examples.flatMap(({ sent }) => sent));
  const contents = files.map(({ content }) => content);
  return withStoredBlobs({ blobs, contents }, async (stored) => {
    const blobOf = new Map(files.map((file, index) => [file, stored[index]]));
    return db.transaction(async (tx) => {
      await before?.(tx);
      let latest = '';
      // The order is the same everywhere, so that two transactions can't wait for each other.
      for (const group of groups.toSorted((a, b) => (a.dataset.id < b.dataset.id ? -1 : 1))) {
        const as_of = await writeGroup(tx, { ...group, blobOf, now: now() });
        if (as_of > latest) latest = as_of;
      }
      return latest;
    });
  });
}

/** @param blobOf gives the blob of a file that was sent. */
export async function writeGroup(
  tx: Transaction,
  {
    dataset,
    examples,
    blobOf = new Map(),
    now,
  }: PreparedGroup & {
    readonly blobOf?: ReadonlyMap<SentFile, StoredBlob | undefined>;
    readonly now: string;
  },
): Promise<string> {
  const { locked } = await lockUnchanged(tx, dataset);
  const as_of = await insertVersion(locked, dataset, { now, example_change: examples.length });
  const version = { dataset, as_of };
  await insertExamples(locked, { ...version, rows: examples.map(({ row }) => row) });
  const attachments = examples.flatMap(({ row, kept, sent }) =>
    [...kept, ...sent.map((file) => storedFile(file, blobOf.get(file)))].map((attachment) => ({
      example_id: row.example_id,
      ...attachment,
    })),
  );
  await recordBlobs(locked, attachments);
  await insertExampleAttachments(locked, { ...version, attachments });
  return as_of;
}

export function storedFile(
  { name, content_type }: SentFile,
  blob: StoredBlob | undefined,
): ExampleAttachment {
  if (blob === undefined) throw new Error('Every file that was sent is stored.');
  return { name, content_type, digest: blob.digest, size: blob.size };
}

/** Makes sure that the dataset still has the schemas and transformations with which the examples were prepared. */
export async function lockUnchanged(tx: Transaction, dataset: DatasetRow): ReturnType<typeof lockDataset> {
  const found = await lockDataset(tx, dataset);
  const asked = (row: DatasetRow) =>
    JSON.stringify([row.inputs_schema_definition, row.outputs_schema_definition, row.transformations]);
  if (asked(found.dataset) !== asked(dataset))
    throw new Problem('conflict', 'The dataset’s schema was changed meanwhile; try again.');
  return found;
}
