import { Problem } from '@roadstead/kit';
import {
  BytePieces,
  isUniqueViolation,
  type UnderLock,
  type Queryable,
  type Transaction,
} from '@roadstead/postgres';
import type { DatasetId, DatasetRow } from '../dataset-records/dataset-row.ts';
import type { ExampleAttachment } from './example-row.ts';
import type { ExampleKeys } from '../values/keys.ts';

/** Writes examples: each change closes the present state of an example and adds the next one. */

/** A payload as it is stored. */
export interface WrittenPayload {
  /** Packed as `payload-packing.ts` does. */
  readonly packed: Uint8Array;
  /** The words that find it, as text that Postgres reads as a `tsvector`: inputs have weight B, outputs weight C. */
  readonly words: string;
}

export interface NewExample {
  readonly example_id: string;
  readonly created_at: string;
  readonly source_run_id: string | null;
  /** A JSON object. */
  readonly metadata: string;
  readonly splits: readonly string[];
  readonly inputs: WrittenPayload;
  readonly outputs: WrittenPayload | undefined;
}

/** A change of an example; an undefined field stays as it was. */
export interface ExampleChange {
  /** Whether undefined fields are emptied; otherwise they are kept. */
  readonly is_whole?: boolean;
  readonly example_id: string;
  readonly metadata: string | undefined;
  readonly splits: readonly string[] | undefined;
  readonly inputs: WrittenPayload | undefined;
  readonly outputs: WrittenPayload | undefined;
}

export interface Version {
  readonly dataset: DatasetRow;
  readonly as_of: string;
}

/** The bytes of one statement; a value on its way to the database is copied several times before it is freed. */
const BATCH_BYTES = 4_194_304;
const BATCH_ROWS = 500;
const PIECE_BYTES = 1_048_576;

const bytesOf = ({ inputs, outputs }: Pick<ExampleChange, 'inputs' | 'outputs'>) =>
  (inputs?.packed.length ?? 0) + (outputs?.packed.length ?? 0);

function batchesOf<T extends Pick<ExampleChange, 'inputs' | 'outputs'>>(rows: readonly T[]): T[][] {
  const batches: T[][] = [];
  let bytes = 0;
  for (const row of rows) {
    const batch = batches.at(-1);
    if (batch === undefined || bytes + bytesOf(row) > BATCH_BYTES || batch.length >= BATCH_ROWS) {
      batches.push([row]);
      bytes = bytesOf(row);
    } else {
      batch.push(row);
      bytes += bytesOf(row);
    }
  }
  return batches;
}

const sent = ['example_id', 'created_at', 'source_run_id', 'metadata', 'splits'] as const;
const types: Readonly<Record<(typeof sent)[number], string>> = {
  example_id: 'uuid',
  created_at: 'timestamptz',
  source_run_id: 'uuid',
  metadata: 'text',
  splits: 'text',
};

/** All payloads travel as one value that the server cuts up: as an array they would be sent as hexadecimal text. */
const rowsSent = `unnest(${sent.map((name, index) => `$${4 + index}::${types[name]}[]`).join(', ')},
  $10::int[], $11::int[], $12::text[], $13::int[], $14::int[], $15::text[], $16::boolean[])
  as u(${sent.join(', ')}, inputs_at, inputs_length, inputs_words, outputs_at, outputs_length, outputs_words, is_whole)`;
const cut = (kind: string) => `substring($9::bytea from u.${kind}_at for u.${kind}_length)`;
const kept = (value: string) => `case when not u.is_whole then ${value} end`;
const words = (kind: string) => `u.${kind}_words::tsvector`;
const splitsSent = `jsonb_build_object('dataset_split', u.splits::jsonb)`;

type Row = ExampleChange & Partial<Pick<NewExample, 'created_at' | 'source_run_id'>>;

function valuesOf({ dataset, as_of }: Version, rows: readonly Row[]): unknown[] {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const placed = (payload: WrittenPayload | undefined) => {
    if (payload === undefined) return { at: null, length: null, words: null };
    const at = length + 1;
    for (let from = 0; from < payload.packed.length; from += PIECE_BYTES)
      pieces.push(payload.packed.subarray(from, from + PIECE_BYTES));
    length += payload.packed.length;
    return { at, length: payload.packed.length, words: payload.words };
  };
  const inputs = rows.map((row) => placed(row.inputs));
  const outputs = rows.map((row) => placed(row.outputs));
  return [
    dataset.workspace_id,
    dataset.id,
    as_of,
    rows.map((row) => row.example_id),
    rows.map((row) => row.created_at ?? null),
    rows.map((row) => row.source_run_id ?? null),
    rows.map((row) => row.metadata ?? null),
    rows.map((row) => (row.splits === undefined ? null : JSON.stringify(row.splits))),
    new BytePieces(pieces),
    ...[inputs, outputs].flatMap((all) => [
      all.map((one) => one.at),
      all.map((one) => one.length),
      all.map((one) => one.words),
    ]),
    rows.map((row) => row.is_whole ?? false),
  ];
}

/** @throws Problem `conflict` where an example of one of the ids exists already. */
export async function insertExamples(
  tx: UnderLock<'dataset'>,
  { rows, ...version }: Version & { readonly rows: readonly NewExample[] },
): Promise<void> {
  try {
    for (const batch of batchesOf(rows))
      await tx.run(
        `insert into traces.examples (workspace_id, dataset_id, valid_from, example_id, created_at, source_run_id,
           metadata, inputs, outputs, words)
         select $1, $2, $3::timestamptz, u.example_id, u.created_at, u.source_run_id,
           u.metadata::jsonb || ${splitsSent}, ${cut('inputs')}, ${cut('outputs')},
           ${words('inputs')} || coalesce(${words('outputs')}, '')
         from ${rowsSent}`,
        valuesOf(version, batch),
      );
  } catch (error) {
    if (isUniqueViolation(error, 'examples_current'))
      throw new Problem('conflict', 'An example of one of these ids already exists.', { cause: error });
    throw error;
  }
}

/** Ends the present state of examples with this version. @returns those that had one. */
export async function closeExamples(
  tx: UnderLock<'dataset'>,
  { dataset, as_of, example_ids }: Version & { readonly example_ids: readonly string[] },
): Promise<string[]> {
  const rows = await tx.query<{ example_id: string }>(
    `update traces.examples set valid_to = $3
     where workspace_id = $1 and dataset_id = $2 and example_id = any ($4::uuid[]) and valid_to is null
     returning example_id`,
    [dataset.workspace_id, dataset.id, as_of, example_ids],
  );
  return rows.map(({ example_id }) => example_id);
}

/** Inserts the next state of examples that were closed with this version. */
export async function insertChangedExamples(
  tx: UnderLock<'dataset'>,
  { rows, ...version }: Version & { readonly rows: readonly ExampleChange[] },
): Promise<void> {
  for (const batch of batchesOf(rows))
    await tx.run(
      `insert into traces.examples (workspace_id, dataset_id, valid_from, example_id, created_at, source_run_id,
         position, metadata, inputs, outputs, words)
       select e.workspace_id, e.dataset_id, e.valid_to, e.example_id, e.created_at, e.source_run_id, e.position,
         coalesce(u.metadata::jsonb, ${kept('e.metadata')}, '{}') || jsonb_build_object('dataset_split',
           coalesce(u.splits::jsonb, ${kept(`e.metadata->'dataset_split'`)}, '["base"]')),
         coalesce(${cut('inputs')}, e.inputs),
         coalesce(${cut('outputs')}, ${kept('e.outputs')}),
         coalesce(${words('inputs')}, ts_filter(e.words, '{b}'), '')
           || coalesce(${words('outputs')}, ${kept(`ts_filter(e.words, '{c}')`)}, '')
       from ${rowsSent}
       join traces.examples e on e.workspace_id = $1 and e.dataset_id = $2 and e.example_id = u.example_id
         and e.valid_to = $3::timestamptz`,
      valuesOf(version, batch),
    );
}

/** Inserts the files of the state that this version made. */
export async function insertExampleAttachments(
  tx: UnderLock<'dataset'>,
  {
    dataset,
    as_of,
    attachments,
  }: Version & {
    readonly attachments: readonly (ExampleAttachment & { readonly example_id: string })[];
  },
): Promise<void> {
  if (attachments.length === 0) return;
  await tx.run(
    `insert into traces.example_attachments (workspace_id, valid_from, example_id, name, content_type, digest, size)
     select $1, $2, j.* from json_to_recordset($3::text::json)
       as j(example_id uuid, name text, content_type text, digest text, size bigint)`,
    [dataset.workspace_id, as_of, JSON.stringify(attachments)],
  );
}

/** Examples that were changed with this version keep their files. */
export async function copyAttachments(
  tx: UnderLock<'dataset'>,
  { dataset, as_of, example_ids }: Version & { readonly example_ids: readonly string[] },
): Promise<void> {
  await tx.run(
    `insert into traces.example_attachments (workspace_id, valid_from, example_id, name, content_type, digest, size)
     select a.workspace_id, e.valid_to, a.example_id, a.name, a.content_type, a.digest, a.size
     from traces.examples e join traces.example_attachments a
       on a.workspace_id = e.workspace_id and a.example_id = e.example_id and a.valid_from = e.valid_from
     where e.workspace_id = $1 and e.dataset_id = $2 and e.example_id = any ($3::uuid[]) and e.valid_to = $4`,
    [dataset.workspace_id, dataset.id, example_ids, as_of],
  );
}

/** Empties all states of examples; the record that they existed remains. @returns the blobs that they named. */
export async function blankExamples(
  tx: Transaction,
  { workspace_id, example_ids }: ExampleKeys,
): Promise<string[]> {
  const values = [workspace_id, example_ids];
  const named = await tx.query<{ digest: string }>(
    `delete from traces.example_attachments where workspace_id = $1 and example_id = any ($2::uuid[])
     returning digest`,
    values,
  );
  await tx.run(
    `update traces.examples set metadata = null, inputs = '{}', outputs = null, words = null
     where workspace_id = $1 and example_id = any ($2::uuid[])`,
    values,
  );
  return [...new Set(named.map(({ digest }) => digest))];
}

const ofLiveDataset = `from traces.examples e
  join traces.datasets d on d.workspace_id = e.workspace_id and d.id = e.dataset_id and d.deleted_at is null
  where e.workspace_id = $1 and e.example_id = any ($2::uuid[])`;

/** The datasets that hold these examples now, each with its own. */
export async function findDatasetsOf(
  db: Queryable,
  { workspace_id, example_ids }: ExampleKeys,
): Promise<Map<string, string[]>> {
  const rows = await db.query<{ dataset_id: string; example_id: string }>(
    `select e.dataset_id, e.example_id ${ofLiveDataset} and e.valid_to is null order by e.dataset_id`,
    [workspace_id, example_ids],
  );
  const grouped = Map.groupBy(rows, ({ dataset_id }) => dataset_id);
  return new Map([...grouped].map(([id, found]) => [id, found.map(({ example_id }) => example_id)]));
}

/** The datasets of examples, also of deleted ones; in the order in which datasets are locked. */
export async function findAllDatasetsOf(
  tx: Transaction,
  { workspace_id, example_ids, dataset_id }: ExampleKeys & { readonly dataset_id?: string | undefined },
): Promise<{ readonly id: string; readonly example_ids: readonly string[] }[]> {
  return tx.query(
    `select e.dataset_id as id, array_agg(distinct e.example_id) as example_ids ${ofLiveDataset}
       and ($3::uuid is null or e.dataset_id = $3) group by e.dataset_id order by e.dataset_id`,
    [workspace_id, example_ids, dataset_id ?? null],
  );
}

/** The number of these that are in a dataset now. */
export async function countCurrent(
  tx: Transaction,
  { workspace_id, id, example_ids }: DatasetId & ExampleKeys,
): Promise<number> {
  const { count } = await tx.one<{ count: number }>(
    `select count(*)::integer as count from traces.examples
     where workspace_id = $1 and dataset_id = $2 and example_id = any ($3::uuid[]) and valid_to is null`,
    [workspace_id, id, example_ids],
  );
  return count;
}
