import { type Transaction, TimeSlice } from '@roadstead/kit';
import { MAX_MERGED_BYTES, mergedExtra } from './extra-rules.ts';
import { pack, unpack } from './payload-packing.ts';
import { EXTRA_BIT, type PayloadRow, readExtras } from './payload-store.ts';
import { keyOf, type SentExtra } from './run-merge-rules.ts';

/** The rows with all that was said of `extra`, by their flush and before it, as one. */
export async function withMergedExtras(
  tx: Transaction,
  {
    rows,
    isStored,
  }: { readonly rows: readonly PayloadRow[]; readonly isStored: (row: PayloadRow) => boolean },
): Promise<PayloadRow[]> {
  const before = await readExtras(tx, {
    rows: rows.filter((row) => row.sent.extras.length > 0 && isStored(row)),
    max_bytes: MAX_MERGED_BYTES,
  });
  const slice = new TimeSlice();
  const merged: PayloadRow[] = [];
  for (const row of rows) {
    const earlier = before.get(keyOf(row));
    const extras = [...(earlier === undefined ? [] : [earlier]), ...row.sent.extras];
    merged.push(extras.length < 2 ? row : await withExtras(row, extras));
    if (slice.isOver()) await slice.next();
  }
  return merged;
}

/** What patches say lies over what posts say; among equals, what came later. */
async function withExtras(row: PayloadRow, extras: readonly SentExtra[]): Promise<PayloadRow> {
  const ordered = [...extras.filter((one) => !one.is_patch), ...extras.filter((one) => one.is_patch)];
  const [first, ...others] = await Promise.all(ordered.map((one) => unpack(one.packed)));
  if (first === undefined) return row;
  const extra = pack(others.reduce(mergedExtra, first));
  const patched = row.sent.patched | (ordered.at(-1)?.is_patch === true ? EXTRA_BIT : 0);
  return { ...row, sent: { ...row.sent, payloads: { ...row.sent.payloads, extra }, patched } };
}
