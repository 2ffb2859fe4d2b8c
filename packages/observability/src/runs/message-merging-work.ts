import type { Side } from '@roadstead/contracts/messages';
import { type Transaction, TimeSlice } from '@roadstead/kit';
import { withMessages } from './message-merging-rules.ts';
import { packOne, type StoredPayload, unpack, wholePayload } from './payload-packing.ts';
import { kindBit, type PayloadRow, readPayloads } from './payload-store.ts';
import { keyOf } from './run-merge-rules.ts';

const sides = ['inputs', 'outputs'] as const satisfies readonly Side[];

/** Messages for which their side has no room. */
export interface LeftOut {
  readonly run_id: string;
  readonly side: Side;
  /** Which request of the flush told them. */
  readonly request: number;
}

export interface Merged {
  readonly rows: readonly PayloadRow[];
  readonly left_out: readonly LeftOut[];
}

/** The rows with the messages that their flush adds to what is stored of them, or to what it sends itself. */
export async function withAddedMessages(tx: Transaction, rows: readonly PayloadRow[]): Promise<Merged> {
  const adding = rows.filter((row) => row.sent.added !== undefined);
  if (adding.length === 0) return { rows, left_out: [] };
  const stored = await storedSides(tx, adding);
  const slice = new TimeSlice();
  const merged: PayloadRow[] = [];
  const left_out: LeftOut[] = [];
  for (const row of rows) {
    if (row.sent.added === undefined) merged.push(row);
    else merged.push(await withAdded(row, stored.get(keyOf(row)) ?? {}, { slice, left_out }));
    if (slice.isOver()) await slice.next();
  }
  return { rows: merged, left_out };
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

async function withAdded(
  row: PayloadRow,
  stored: StoredSides,
  { slice, left_out }: { readonly slice: TimeSlice; readonly left_out: LeftOut[] },
): Promise<PayloadRow> {
  const payloads = { ...row.sent.payloads };
  let { patched } = row.sent;
  for (const side of sides) {
    const added = (row.sent.added ?? []).filter((one) => one.side === side);
    if (added.length === 0) continue;
    const own = payloads[side];
    const isReplaced = own !== undefined && (patched & kindBit(side)) !== 0;
    const before = isReplaced ? undefined : stored[side];
    let base = before && (await wholePayload(before));
    // A post that comes by now takes nothing away of what was told before it.
    const parts = [...(own === undefined ? [] : [{ packed: own, request: undefined }]), ...added];
    for (const { packed, request } of parts) {
      const json = await unpack(packed);
      const next = base === undefined ? json : await withMessages({ base, added: json, side }, slice);
      if (next !== undefined) base = next;
      else if (request !== undefined) left_out.push({ run_id: row.run_id, side, request });
    }
    if (base === undefined) continue;
    payloads[side] = await packOne(base);
    patched |= kindBit(side);
  }
  return { ...row, sent: { ...row.sent, payloads, patched } };
}
