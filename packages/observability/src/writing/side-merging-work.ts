import type { Side } from '@roadstead/contracts/messages';
import { TimeSlice } from '@roadstead/kit';
import type { Transaction } from '@roadstead/postgres';
import { previewOf } from '../decoding/preview-rules.ts';
import { type PayloadKind, payloadKinds } from '../records/run-operation.ts';
import { readJson } from '../decoding/sent-json-codec.ts';
import { packOne, unpack, wholePayload } from '../records/payload-packing.ts';
import {
  kindBit,
  type PayloadRow,
  readStored,
  type StoredPayloads,
  TOLD_BIT,
} from '../records/payload-store.ts';
import { keyOf, type RankedPayloads } from '../records/run-merge-rules.ts';
import type { RunRow } from '../records/run-row.ts';
import { type MergedSide, SideMerging } from '../merging/side-merging-rules.ts';

const sides = ['inputs', 'outputs'] as const satisfies readonly Side[];

/** A value that was left out of a field, which would otherwise exceed its limit. */
export interface LeftOut {
  readonly run_id: string;
  readonly field: Side | 'extra';
  /** The request of the flush that sent it. */
  readonly request: number;
}

type Previews = Pick<RunRow, `${Side}_preview`>;

export interface MergedRows {
  readonly rows: readonly PayloadRow[];
  /** The previews of merged sides, by the key of their run. */
  readonly previews: ReadonlyMap<string, Partial<Previews>>;
  readonly left_out: readonly LeftOut[];
}

/** The rows with both sides merged from spans and log records, of this flush and of earlier ones. */
export async function withToldSides(
  tx: Transaction,
  {
    rows,
    isStored,
  }: { readonly rows: readonly PayloadRow[]; readonly isStored: (row: PayloadRow) => boolean },
): Promise<MergedRows> {
  const ofSpans = rows.filter(({ sent }) => sent.is_of_span);
  const stored = await readStored(tx, { rows: ofSpans.filter(isStored), kinds: payloadKinds });
  const slice = new TimeSlice();
  const merged: PayloadRow[] = [];
  const previews = new Map<string, Partial<Previews>>();
  const left_out: LeftOut[] = [];
  for (const row of rows) {
    const before = stored.get(keyOf(row)) ?? nothing;
    if (!row.sent.is_of_span) merged.push(row);
    else {
      const one = await withSides(withoutFaint(row, before), before, { slice, left_out });
      merged.push(one.row);
      previews.set(keyOf(row), one.previews);
    }
    if (slice.isOver()) await slice.next();
  }
  return { rows: merged, previews, left_out };
}

const nothing: StoredPayloads = { patched: 0, payloads: {} };

/** The row without values that count only where nothing is stored. Both sides and `extra` are merged instead. */
function withoutFaint(row: PayloadRow, before: StoredPayloads): PayloadRow {
  const isKept = (kind: string) => {
    const isFaint = (row.sent.faint & kindBit(kind as PayloadKind)) !== 0;
    return kind === 'extra' || !isFaint || before.payloads[kind as PayloadKind] === undefined;
  };
  const payloads = Object.fromEntries(Object.entries(row.sent.payloads).filter(([kind]) => isKept(kind)));
  return { ...row, sent: { ...row.sent, payloads } };
}

export interface MergeContext {
  readonly slice: TimeSlice;
  readonly left_out: LeftOut[];
}

async function withSides(
  row: PayloadRow,
  before: StoredPayloads,
  { slice, left_out }: MergeContext,
): Promise<{ readonly row: PayloadRow; readonly previews: Partial<Previews> }> {
  const { sent, run_id } = row;
  const isTold = sent.told.length > 0 || (before.patched & TOLD_BIT) !== 0;
  if (!isTold) return { row, previews: {} };
  const merging = new SideMerging(slice);
  for (const side of sides) {
    // Stored messages were accepted when they arrived: where both do not fit, the span's own stay.
    for (const packed of await above(side, { sent, before })) await merging.add(side, await unpack(packed));
    for (const { packed, request } of sent.told.filter((one) => one.side === side))
      if (!(await merging.add(side, await unpack(packed)))) left_out.push({ run_id, field: side, request });
  }
  const payloads = { ...sent.payloads };
  let patched = sent.patched | TOLD_BIT;
  const previews: Partial<Record<keyof Previews, string | null>> = {};
  for (const [side, one] of Object.entries(merging.merged()) as [Side, MergedSide][]) {
    patched |= before.patched & kindBit(side);
    const isNothing = one.json.length === 0;
    previews[`${side}_preview`] = isNothing ? null : await previewOfSide(one);
    if (isNothing && before.payloads[side] === undefined) delete payloads[side];
    else payloads[side] = await packOne(one.json);
  }
  return { row: { ...row, sent: { ...sent, payloads, patched } }, previews };
}

/** The messages that rank above those of this flush on a side, the highest first. */
async function above(
  side: Side,
  { sent, before }: { readonly sent: RankedPayloads; readonly before: StoredPayloads },
): Promise<Uint8Array[]> {
  const own = sent.payloads[side];
  const stored = before.payloads[side];
  const isPatch = (ranked: { readonly patched: number }) => (ranked.patched & kindBit(side)) !== 0;
  const kept = stored === undefined ? [] : [await wholePayload(stored)];
  if (own === undefined || (isPatch(before) && !isPatch(sent))) return kept;
  // Other clients replace one value with the other.
  const isTogether = !isPatch(sent) && (before.patched & TOLD_BIT) !== 0;
  return isTogether ? [own, ...kept] : [own];
}

/** The last message makes the best preview; without messages the whole side is used. */
async function previewOfSide({ json, last }: MergedSide): Promise<string> {
  const read = await readJson(last ?? json);
  const value = last === undefined ? read?.value : { messages: [read?.value] };
  return previewOf(value, json);
}
