import type { Side } from '@roadstead/contracts/messages';
import { type Transaction, TimeSlice } from '@roadstead/kit';
import { readJson } from '../ingest/sent-json-codec.ts';
import { withMessages } from './message-merging-rules.ts';
import { pack, type StoredPayload, unpack } from './payload-packing.ts';
import { kindBit, type PayloadRow, readPayloads } from './payload-store.ts';
import { keyOf } from './run-merge-rules.ts';

/** A larger side is not added to: what comes later replaces it. */
const MAX_MERGED_BYTES = 1_048_576;
const sides = ['inputs', 'outputs'] as const satisfies readonly Side[];

/** The rows with the messages that their flush adds to what is stored of them, or to what it sends itself. */
export async function withAddedMessages(tx: Transaction, rows: readonly PayloadRow[]): Promise<PayloadRow[]> {
  const adding = rows.filter((row) => row.sent.added !== undefined);
  if (adding.length === 0) return [...rows];
  const stored = await storedSides(tx, adding);
  const slice = new TimeSlice();
  const merged: PayloadRow[] = [];
  for (const row of rows) {
    merged.push(row.sent.added === undefined ? row : await withAdded(row, stored.get(keyOf(row)) ?? {}));
    if (slice.isOver()) await slice.next();
  }
  return merged;
}

type StoredSides = Readonly<Partial<Record<Side, StoredPayload>>>;

async function storedSides(tx: Transaction, rows: readonly PayloadRow[]): Promise<Map<string, StoredSides>> {
  const found = new Map<string, StoredSides>();
  const groups = Map.groupBy(rows, ({ workspace_id, tier, week }) => `${workspace_id}/${tier}/${week}`);
  for (const [first, ...others] of groups.values()) {
    if (first === undefined) continue;
    const { workspace_id } = first;
    const run_ids = [first, ...others].map((row) => row.run_id);
    const payloads = await readPayloads(tx, first, { workspace_id, run_ids, kinds: sides });
    for (const [run_id, one] of payloads) found.set(keyOf({ workspace_id, run_id }), one);
  }
  return found;
}

async function withAdded(row: PayloadRow, stored: StoredSides): Promise<PayloadRow> {
  const payloads = { ...row.sent.payloads };
  let { patched } = row.sent;
  for (const side of sides) {
    const added = (row.sent.added ?? []).filter((one) => one.side === side);
    if (added.length === 0) continue;
    let base = await valueOf(payloads[side] ?? stored[side]?.packed);
    for (const { packed } of added) base = withMessages(base, await valueOf(packed), side);
    payloads[side] = pack(Buffer.from(JSON.stringify(base)));
    patched |= kindBit(side);
  }
  return { ...row, sent: { ...row.sent, payloads, patched } };
}

async function valueOf(packed: Uint8Array | undefined): Promise<unknown> {
  const json = packed === undefined ? undefined : await unpack(packed);
  return json === undefined || json.length > MAX_MERGED_BYTES ? undefined : (await readJson(json))?.value;
}
