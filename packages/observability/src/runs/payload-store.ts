import type { Queryable } from '@roadstead/kit';
import { type PayloadKind, payloadKinds, type Payloads } from '../ingest/run-operation.ts';
import type { PartitionKey } from '../partitions/week-rules.ts';
import { unpack } from './payload-packing.ts';
import type { RankedPayloads } from './run-merge-rules.ts';

/** Payload bytes, as `payload-packing.ts` packs them, beside the hot rows. */

export interface PayloadRow {
  readonly workspace_id: string;
  readonly run_id: string;
  readonly tier: string;
  readonly week: string;
  readonly sent: RankedPayloads;
}

/** One rank bit per kind, so that the half that came later doesn't hide the other. */
const merged = payloadKinds
  .map((kind, index) => {
    const bit = 1 << index;
    return `${kind} = case when excluded.${kind} is not null and (excluded.patched & ${bit} >= p.patched & ${bit})
      then excluded.${kind} else p.${kind} end`;
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
export async function upsertPayloads(tx: Queryable, rows: readonly PayloadRow[]): Promise<void> {
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

/** By run id, unpacked; of one workspace and one partition. */
export async function readPayloads(
  db: Queryable,
  partition: PartitionKey,
  wanted: {
    readonly workspace_id: string;
    readonly run_ids: readonly string[];
    readonly kinds: readonly PayloadKind[];
  },
): Promise<Map<string, Payloads<Buffer>>> {
  if (wanted.kinds.length === 0 || wanted.run_ids.length === 0) return new Map();
  const rows = await db.query<{ run_id: string } & Record<PayloadKind, Buffer | null>>(
    `select run_id, ${wanted.kinds.join(', ')} from traces.payloads
     where tier = $1 and week = $2 and workspace_id = $3 and run_id = any ($4::uuid[])`,
    [partition.tier, partition.week, wanted.workspace_id, wanted.run_ids],
  );
  return new Map(
    rows.map((row) => {
      const payloads = wanted.kinds.flatMap((kind) => {
        const stored = row[kind];
        return stored === null ? [] : [[kind, unpack(stored)] as const];
      });
      return [row.run_id, Object.fromEntries(payloads)];
    }),
  );
}
