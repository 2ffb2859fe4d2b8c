import type { Queryable, Transaction } from '@roadstead/postgres';
import { type PayloadKind, payloadKinds, type Payloads } from './run-operation.ts';
import type { PartitionKey } from '../partitions/week-rules.ts';
import type { StoredPayload } from './payload-packing.ts';
import { keyOf, type RankedPayloads } from './run-merge-rules.ts';
import type { RunKey } from '../values/keys.ts';

/** Payload bytes, as `payload-packing.ts` packs them, beside the hot rows. */

export interface PayloadRow {
  readonly workspace_id: string;
  readonly run_id: string;
  readonly tier: string;
  readonly week: string;
  readonly sent: RankedPayloads;
}

/** The bit of a kind in `patched`. */
export const kindBit = (kind: PayloadKind): number => 1 << payloadKinds.indexOf(kind);
export const EXTRA_BIT = kindBit('extra');

/** One more bit: the sides hold messages from log records, or from a span that had not ended. */
export const TOLD_BIT = 1 << payloadKinds.length;

/** One rank bit per kind, so that a later half doesn't hide an earlier one. An empty payload removes the stored one. */
const merged = payloadKinds
  .map((kind, index) => {
    const bit = 1 << index;
    return `${kind} = case when excluded.${kind} is not null and (excluded.patched & ${bit} >= p.patched & ${bit})
      then nullif(excluded.${kind}, ''::bytea) else p.${kind} end`;
  })
  .join(', ');

const upsert = `
  insert into traces.payloads as p (workspace_id, run_id, tier, week, patched, ${payloadKinds.join(', ')})
  select u.workspace_id, u.run_id, u.tier, u.week, u.patched,
    ${payloadKinds.map((kind) => `substring($6::bytea from u.${kind}_at for u.${kind}_length)`).join(', ')}
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::date[], $5::smallint[],
    ${payloadKinds.map((_, index) => `$${7 + 2 * index}::int[], $${8 + 2 * index}::int[]`).join(', ')})
    as u(workspace_id, run_id, tier, week, patched,
    ${payloadKinds.map((kind) => `${kind}_at, ${kind}_length`).join(', ')})
  on conflict (run_id, workspace_id, tier, week) do update set ${merged}, patched = p.patched | excluded.patched`;

/**
 * Writes or completes payloads. All bytes travel as one value that the server cuts up: as an array they would be sent
 * as hexadecimal text.
 */
export async function upsertPayloads(tx: Transaction, rows: readonly PayloadRow[]): Promise<void> {
  if (rows.length === 0) return;
  const chunks: Uint8Array[] = [];
  let length = 0;
  const ranges = payloadKinds.map(() => ({ at: [] as (number | null)[], length: [] as (number | null)[] }));
  for (const row of rows) {
    for (const [index, kind] of payloadKinds.entries()) {
      const packed = row.sent.payloads[kind];
      ranges[index]?.at.push(packed === undefined ? null : length + 1);
      ranges[index]?.length.push(packed?.length ?? null);
      if (packed === undefined) continue;
      chunks.push(packed);
      length += packed.length;
    }
  }
  await tx.run(upsert, [
    rows.map((row) => row.workspace_id),
    rows.map((row) => row.run_id),
    rows.map((row) => row.tier),
    rows.map((row) => row.week),
    rows.map((row) => row.sent.patched),
    Buffer.concat(chunks),
    ...ranges.flatMap((range) => [range.at, range.length]),
  ]);
}

/** The size above which a payload is read only when it is answered, in pieces. */
const INLINE_BYTES = 65_536;
/** The size of one piece; it takes twice as much on the connection to the database. */
const PIECE_BYTES = 1_048_576;

interface PayloadSelection {
  readonly workspace_id: string;
  readonly run_ids: readonly string[];
  readonly kinds: readonly PayloadKind[];
}

/** Payloads by run id, of one workspace and one partition. */
export async function readPayloads(
  db: Queryable,
  partition: PartitionKey,
  { workspace_id, run_ids, kinds }: PayloadSelection,
): Promise<Map<string, Payloads<StoredPayload>>> {
  if (kinds.length === 0 || run_ids.length === 0) return new Map();
  const columns = kinds.map(
    (kind) => `octet_length(${kind}) as ${kind}_length,
      case when octet_length(${kind}) <= ${INLINE_BYTES} then ${kind} end as ${kind}`,
  );
  const rows = await db.query<{ run_id: string } & Record<string, unknown>>(
    `select run_id, ${columns.join(', ')} from traces.payloads
     where tier = $1 and week = $2 and workspace_id = $3 and run_id = any ($4::uuid[])`,
    [partition.tier, partition.week, workspace_id, run_ids],
  );
  const payloadOf = (row: (typeof rows)[number], kind: PayloadKind): StoredPayload | undefined => {
    const length = row[`${kind}_length`] as number | null;
    const packed = (row[kind] as Buffer | null) ?? undefined;
    if (length === null) return undefined;
    const at = { ...partition, workspace_id, run_id: row.run_id, kind, length };
    return { packed, pieces: () => (packed === undefined ? readPieces(db, at) : once(packed)) };
  };
  return new Map(
    rows.map((row) => [
      row.run_id,
      Object.fromEntries(
        kinds.flatMap((kind) => {
          const payload = payloadOf(row, kind);
          return payload === undefined ? [] : [[kind, payload] as const];
        }),
      ),
    ]),
  );
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function* readPieces(
  db: Queryable,
  at: PartitionKey & RunKey & { readonly kind: PayloadKind; readonly length: number },
): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < at.length; from += PIECE_BYTES) {
    const row = await db.maybe<{ piece: Buffer }>(
      `select substring(${at.kind} from $5 for ${PIECE_BYTES}) as piece from traces.payloads
       where tier = $1 and week = $2 and workspace_id = $3 and run_id = $4 and octet_length(${at.kind}) = $6`,
      [at.tier, at.week, at.workspace_id, at.run_id, from + 1, at.length],
    );
    if (row === undefined) throw new Error('The payload was replaced or removed while it was read.');
    yield row.piece;
  }
}

/** The stored payloads of a run that is written again. */
export interface StoredPayloads {
  readonly patched: number;
  readonly payloads: Payloads<StoredPayload>;
}

/** The stored payloads of these runs, by key. */
export async function readStored(
  db: Queryable,
  { rows, kinds }: { readonly rows: readonly PayloadRow[]; readonly kinds: readonly PayloadKind[] },
): Promise<Map<string, StoredPayloads>> {
  const found = new Map<string, StoredPayloads>();
  const groups = Map.groupBy(rows, ({ workspace_id, tier, week }) => `${workspace_id}/${tier}/${week}`);
  for (const [first, ...others] of groups.values()) {
    if (first === undefined) continue;
    const { workspace_id } = first;
    const run_ids = [first, ...others].map((row) => row.run_id);
    const payloads = await readPayloads(db, first, { workspace_id, run_ids, kinds });
    const ranks = await db.query<{ run_id: string; patched: number }>(
      `select run_id, patched from traces.payloads
       where tier = $1 and week = $2 and workspace_id = $3 and run_id = any ($4::uuid[])`,
      [first.tier, first.week, workspace_id, run_ids],
    );
    for (const { run_id, patched } of ranks)
      found.set(keyOf({ workspace_id, run_id }), { patched, payloads: payloads.get(run_id) ?? {} });
  }
  return found;
}
