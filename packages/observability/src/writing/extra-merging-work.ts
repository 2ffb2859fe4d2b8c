import { TimeSlice } from '@roadstead/kit';
import type { Transaction } from '@roadstead/postgres';
import { MAX_PAYLOAD_BYTES } from '../decoding/sent-json-codec.ts';
import { mergedExtra } from '../merging/extra-rules.ts';
import { isTooLarge } from '../values/json-text.ts';
import { packOne, type StoredPayload, unpack, wholePayload } from '../records/payload-packing.ts';
import { EXTRA_BIT, type PayloadRow, readStored } from '../records/payload-store.ts';
import { keyOf, type SentExtra } from '../records/run-merge-rules.ts';
import type { LeftOut, MergeContext } from './side-merging-work.ts';

/** The bytes of merged extras that are in memory together. */
const PART_BYTES = 16_777_216;

interface StoredExtra {
  readonly rank: number;
  readonly payload: StoredPayload;
}

/**
 * The rows with every `extra`, from their flush and from before, merged into one; in parts that hold as little in
 * memory as possible.
 */
export async function* withMergedExtras(
  tx: Transaction,
  {
    rows,
    isStored,
    left_out,
  }: {
    readonly rows: readonly PayloadRow[];
    readonly isStored: (row: PayloadRow) => boolean;
    readonly left_out: LeftOut[];
  },
): AsyncGenerator<readonly PayloadRow[]> {
  const again = rows.filter((row) => row.sent.extras.length > 0 && isStored(row));
  const before = await readStored(tx, { rows: again, kinds: ['extra'] });
  const slice = new TimeSlice();
  let part: PayloadRow[] = [];
  let bytes = 0;
  for (const row of rows) {
    const { patched = 0, payloads: { extra: payload } = {} } = before.get(keyOf(row)) ?? {};
    const stored = payload && { payload, rank: (patched & EXTRA_BIT) === 0 ? 0 : 1 };
    if (stored === undefined && row.sent.extras.length < 2) part.push(row);
    else {
      const merged = await withExtras(row, stored, { slice, left_out });
      part.push(merged);
      bytes += merged.sent.payloads.extra?.length ?? 0;
    }
    if (slice.isOver()) await slice.next();
    if (bytes < PART_BYTES) continue;
    yield part;
    [part, bytes] = [[], 0];
  }
  yield part;
}

async function withExtras(
  row: PayloadRow,
  stored: StoredExtra | undefined,
  { slice, left_out }: MergeContext,
): Promise<PayloadRow> {
  const { sent, run_id } = row;
  const before =
    stored === undefined ? [] : [{ rank: stored.rank, json: await wholePayload(stored.payload) }];
  const merged = await mergedWithin([...before, ...(await unpacked(sent.extras))], slice);
  // The stored value stays, or the first that arrived.
  const fitting = merged ?? before[0]?.json ?? (await unpacked(sent.extras.slice(0, 1)))[0]?.json;
  if (merged === undefined)
    for (const { request } of sent.extras.slice(stored === undefined ? 1 : 0))
      left_out.push({ run_id, field: 'extra', request });
  if (fitting === undefined) return row;
  const isPatch = [stored, ...sent.extras].some((one) => one?.rank === 1);
  const patched = sent.patched | (isPatch ? EXTRA_BIT : 0);
  return {
    ...row,
    sent: { ...sent, payloads: { ...sent.payloads, extra: await packOne(fitting) }, patched },
  };
}

interface RankedExtra {
  readonly rank: number;
  readonly json: Uint8Array;
}

const unpacked = async (extras: readonly SentExtra[]): Promise<RankedExtra[]> =>
  Promise.all(extras.map(async ({ rank, packed }) => ({ rank, json: await unpack(packed) })));

/**
 * Values of patches override those of posts, which override faint ones. Among patches and posts the later value wins,
 * among faint ones the earlier.
 */
async function mergedWithin(said: readonly RankedExtra[], slice: TimeSlice): Promise<Uint8Array | undefined> {
  const of = (wanted: number) => said.filter(({ rank }) => rank === wanted);
  const ordered = [...of(-1).toReversed(), ...of(0), ...of(1)];
  try {
    const merged = await mergedExtra(
      ordered.map(({ json }) => json),
      slice,
    );
    return merged.length > MAX_PAYLOAD_BYTES ? undefined : merged;
  } catch (error) {
    if (isTooLarge(error)) return undefined;
    throw error;
  }
}
