import { membersOf } from '@roadstead/json';
import { TimeSlice } from '@roadstead/kit';
import type { Queryable } from '@roadstead/postgres';
import type { ReadAt } from '../dataset-records/dataset-version-store.ts';
import type { StoredPayload } from '../records/payload-packing.ts';
import { instantText } from '../records/run-store.ts';
import {
  type ExampleAttachment,
  type ExamplePayloadKind,
  examplePayloadKinds,
  type ExampleRecord,
  type ExampleRow,
} from './example-row.ts';
import type { Metadata } from './metadata-operation-rules.ts';
import type { InWorkspace } from '../values/keys.ts';
import type { OrderedPage } from '../values/pages.ts';

/** Reads examples at a version. */

/** Larger payloads are read only when they are answered, in pieces. */
const INLINE_BYTES = 65_536;
const PIECE_BYTES = 1_048_576;

const columns = `e.workspace_id, e.example_id, e.dataset_id, d.name as dataset_name,
  ${instantText('e.valid_from')} as valid_from, ${instantText('e.created_at')} as created_at, e.source_run_id,
  e.position, e.metadata::text as metadata`;
const payloadColumns = examplePayloadKinds
  .map(
    (kind) => `octet_length(e.${kind}) as ${kind}_length,
      case when octet_length(e.${kind}) <= ${INLINE_BYTES} then e.${kind} end as ${kind}`,
  )
  .join(', ');
const tables = `traces.examples e join traces.datasets d
  on d.workspace_id = e.workspace_id and d.id = e.dataset_id and d.deleted_at is null`;

type ExampleOrder = 'recent' | 'random' | 'recently_created' | 'id' | 'position';

/** A condition over `e` whose values are parameters from the given number on. */
export type ExampleCondition = (first_parameter: number) => {
  readonly sql: string;
  readonly values: readonly unknown[];
};

export interface ExampleFilter {
  readonly workspace_id: string;
  /** The dataset; absent for every dataset. */
  readonly dataset_id?: string | undefined;
  readonly at: ReadAt;
  readonly ids?: readonly string[] | undefined;
  /** The splits of which the example is in at least one. */
  readonly splits?: readonly string[] | undefined;
  /** JSON objects of which the metadata must contain one. */
  readonly metadata?: readonly string[] | undefined;
  /** Queries that must all match, each as text that Postgres reads as a `tsquery`. */
  readonly words?: readonly string[] | undefined;
  readonly condition?: ExampleCondition | undefined;
  /** The position after which examples must have been created. */
  readonly after?: number | undefined;
}

export interface ExamplePage extends OrderedPage {
  readonly order: ExampleOrder;
  readonly random_seed?: number | undefined;
}

/** The SQL of a filter, with its values. */
function conditionsOf(filter: ExampleFilter): { readonly sql: string; readonly values: unknown[] } {
  const values: unknown[] = [filter.workspace_id];
  const conditions = ['e.workspace_id = $1'];
  const add = (condition: (parameter: string) => string, value: unknown) => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  add((p) => `e.dataset_id = ${p}`, filter.dataset_id);
  if (filter.at.kind === 'latest') conditions.push('e.valid_to is null');
  else add((p) => `e.valid_from <= ${p} and (e.valid_to is null or e.valid_to > ${p})`, filter.at.as_of);
  add((p) => `e.example_id = any (${p}::uuid[])`, filter.ids);
  add((p) => `e.position > ${p}`, filter.after);
  add((p) => `e.metadata->'dataset_split' ?| ${p}::text[]`, filter.splits);
  add((p) => `e.metadata @> any (${p}::text[]::jsonb[])`, filter.metadata);
  for (const query of filter.words ?? []) add((p) => `e.words @@ ${p}::text::tsquery`, query);
  const condition = filter.condition?.(values.length + 1);
  if (condition !== undefined) {
    conditions.push(condition.sql);
    values.push(...condition.values);
  }
  return { sql: conditions.join(' and '), values };
}

function orderOf({ order, descending, random_seed }: ExamplePage): string {
  const direction = descending ? 'desc' : 'asc';
  const sorted: Readonly<Record<ExampleOrder, string>> = {
    // Examples that were written together stay in the order in which they were sent.
    recent: `e.valid_from ${direction}, e.position`,
    recently_created: `e.created_at ${direction}, e.position`,
    id: `e.example_id ${direction}`,
    position: `e.position ${direction}`,
    random:
      random_seed === undefined ? 'random()' : `md5(e.example_id::text || '${random_seed}'), e.example_id`,
  };
  return sorted[order];
}

type PayloadRow = Record<`${ExamplePayloadKind}_length`, number | null> &
  Record<ExamplePayloadKind, Buffer | null>;

/** A page of the examples that match, with their payloads and files. */
export async function listExamples(
  db: Queryable,
  filter: ExampleFilter,
  {
    with_payloads = true,
    with_attachments = true,
    pieces_from = db,
    ...page
  }: ExamplePage & {
    /** The database from which large payloads are read when they are answered. */
    readonly pieces_from?: Queryable;
    readonly with_payloads?: boolean;
    readonly with_attachments?: boolean;
  },
): Promise<ExampleRecord[]> {
  const { sql, values } = conditionsOf(filter);
  const rows = await db.query<ExampleRow & Partial<PayloadRow>>(
    `select ${columns}${with_payloads ? `, ${payloadColumns}` : ''} from ${tables} where ${sql}
     order by ${orderOf(page)} limit ${page.limit} offset ${page.offset}`,
    values,
  );
  const attachments = with_attachments
    ? await readExampleAttachments(db, rows)
    : new Map<string, ExampleAttachment[]>();
  return rows.map(({ inputs, inputs_length, outputs, outputs_length, ...row }) => ({
    row,
    inputs: payloadOf(pieces_from, row, { kind: 'inputs', length: inputs_length, packed: inputs }),
    outputs: payloadOf(pieces_from, row, { kind: 'outputs', length: outputs_length, packed: outputs }),
    attachments: attachments.get(row.example_id) ?? [],
  }));
}

export async function countExamples(db: Queryable, filter: ExampleFilter): Promise<number> {
  const { sql, values } = conditionsOf(filter);
  const { count } = await db.one<{ count: number }>(
    `select count(*)::integer as count from ${tables} where ${sql}`,
    values,
  );
  return count;
}

/** The dataset that has, or last had, the example; undefined where it is unknown. */
export async function findDatasetOf(
  db: Queryable,
  { workspace_id, example_id }: InWorkspace & { readonly example_id: string },
): Promise<string | undefined> {
  const row = await db.maybe<{ dataset_id: string }>(
    `select e.dataset_id from ${tables} where e.workspace_id = $1 and e.example_id = $2
     order by e.valid_from desc limit 1`,
    [workspace_id, example_id],
  );
  return row?.dataset_id;
}

/** The splits in which examples of a dataset are. */
export async function listSplits(db: Queryable, filter: ExampleFilter): Promise<string[]> {
  const { sql, values } = conditionsOf(filter);
  const rows = await db.query<{ split: string }>(
    `select distinct split from ${tables}
     cross join lateral jsonb_array_elements_text(e.metadata->'dataset_split') as split
     where ${sql} and jsonb_typeof(e.metadata->'dataset_split') = 'array' order by split`,
    values,
  );
  return rows.map(({ split }) => split);
}

/** The files by example id. */
async function readExampleAttachments(
  db: Queryable,
  states: readonly Pick<ExampleRow, 'workspace_id' | 'example_id' | 'valid_from'>[],
): Promise<Map<string, ExampleAttachment[]>> {
  const [first] = states;
  if (first === undefined) return new Map();
  const rows = await db.query<ExampleAttachment & { example_id: string }>(
    `select a.example_id, a.name, a.content_type, a.digest, a.size
     from unnest($2::uuid[], $3::timestamptz[]) as s(example_id, valid_from)
     join traces.example_attachments a on a.workspace_id = $1 and a.example_id = s.example_id
       and a.valid_from = s.valid_from order by a.name`,
    [first.workspace_id, states.map((state) => state.example_id), states.map((state) => state.valid_from)],
  );
  return Map.groupBy(rows, ({ example_id }) => example_id);
}

interface CurrentExamples {
  readonly workspace_id: string;
  /** The id of the dataset. */
  readonly id: string;
  readonly example_ids: readonly string[];
}

const current = `from ${tables} where e.workspace_id = $1 and e.dataset_id = $2
  and e.example_id = any ($3::uuid[]) and e.valid_to is null`;

/** The present metadata of examples of a dataset, by example id. */
export async function readCurrentMetadata(
  db: Queryable,
  { workspace_id, id, example_ids }: CurrentExamples,
): Promise<Map<string, Metadata>> {
  const rows = await db.query<{ example_id: string; metadata: string | null }>(
    `select e.example_id, e.metadata::text as metadata ${current}`,
    [workspace_id, id, example_ids],
  );
  const decoder = new TextDecoder();
  const slice = new TimeSlice();
  const found = new Map<string, Metadata>();
  for (const { example_id, metadata } of rows) {
    const members = await membersOf(Buffer.from(metadata ?? '{}'), slice);
    found.set(
      example_id,
      new Map([...(members ?? [])].map(([name, value]) => [name, decoder.decode(value)])),
    );
    if (slice.isOver()) await slice.next();
  }
  return found;
}

/** JSON texts in the form in which a column returns them, so that they can be compared. */
export async function writtenAsStored(
  db: Queryable,
  texts: readonly (string | undefined)[],
): Promise<(string | undefined)[]> {
  const rows = await db.query<{ text: string | null }>(
    'select text::jsonb::text as text from unnest($1::text[]) with ordinality as u(text, n) order by n',
    [texts.map((text) => text ?? null)],
  );
  return rows.map(({ text }) => text ?? undefined);
}

/** The present files of examples, by example id. */
export async function readCurrentAttachments(
  db: Queryable,
  { workspace_id, id, example_ids }: CurrentExamples,
): Promise<Map<string, ExampleAttachment[]>> {
  const states = await db.query<ExampleRow>(`select ${columns} ${current}`, [workspace_id, id, example_ids]);
  return readExampleAttachments(db, states);
}

function payloadOf(
  db: Queryable,
  row: ExampleRow,
  stored: {
    readonly kind: ExamplePayloadKind;
    readonly length: number | null | undefined;
    readonly packed: Buffer | null | undefined;
  },
): StoredPayload | undefined {
  const { kind, length } = stored;
  const packed = stored.packed ?? undefined;
  if (length === null || length === undefined) return undefined;
  return {
    packed,
    pieces: () => (packed === undefined ? readPieces(db, row, { kind, length }) : once(packed)),
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function* readPieces(
  db: Queryable,
  { workspace_id, example_id, valid_from }: ExampleRow,
  { kind, length }: { readonly kind: ExamplePayloadKind; readonly length: number },
): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < length; from += PIECE_BYTES) {
    const row = await db.maybe<{ piece: Buffer }>(
      `select substring(${kind} from $4 for ${PIECE_BYTES}) as piece from traces.examples
       where workspace_id = $1 and example_id = $2 and valid_from = $3 and octet_length(${kind}) = $5`,
      [workspace_id, example_id, valid_from, from + 1, length],
    );
    if (row === undefined) throw new Error('The payload was removed while it was read.');
    yield row.piece;
  }
}
