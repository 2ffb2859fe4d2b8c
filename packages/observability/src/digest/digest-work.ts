import { type Locked, type Log, TimeSlice, type Transaction } from '@roadstead/kit';
import { type PayloadKind, type Payloads } from '../ingest/run-operation.ts';
import { type StoredPayload, unpackPieces } from '../runs/payload-packing.ts';
import { readPayloads } from '../runs/payload-store.ts';
import { keyOf } from '../runs/run-merge-rules.ts';
import type { RunRow } from '../runs/run-row.ts';
import { readRunsIn } from '../runs/run-store.ts';
import { noEntry, type SearchEntry, searchEntryOf } from '../search/search-entry.ts';
import { changesOf, countedOf, isSameCount } from './rollup-rules.ts';
import { addToRollups } from './rollup-store.ts';
import {
  type CountedRoot,
  readRoots,
  removeSearchRows,
  type SearchRow,
  tryUpsertSearchRows,
  updateCounted,
  upsertSearchRows,
  type WorkspacePartition,
} from './search-store.ts';

/** A run as it is now, with what filters find of it. */
export interface DigestedRun {
  readonly row: RunRow;
  readonly entry: SearchEntry;
}

/** What follows from runs being written, in the transaction that digests them; the same run may come again. */
export type OnDigested = (tx: Transaction, runs: readonly DigestedRun[]) => Promise<void>;

/** What is beyond of a payload is not looked at. */
const MAX_LOOKED_AT_BYTES = 4_194_304;
/** Of payloads, unpacked, whose entries are in memory together; those of words alone take many times as much. */
const PORTION_BYTES = 4_194_304;
/** Whose payloads are in memory together, as far as they are small. */
const RUNS_READ_AT_ONCE = 100;
const kinds = ['inputs', 'outputs', 'extra', 'error'] as const satisfies readonly PayloadKind[];

export interface DigestOptions {
  readonly workspace_id: string;
  readonly onDigested: OnDigested;
  readonly log: Log;
}

export interface RunsToDigest {
  readonly run_ids: readonly string[];
  readonly options: DigestOptions;
}

/** Makes search rows and rollups say what is stored of these runs, and does what follows from it. */
export async function digestPartition(
  tx: Locked<'digest'>,
  partition: WorkspacePartition,
  { run_ids, options }: RunsToDigest,
): Promise<void> {
  const { workspace_id, log } = { ...partition, ...options };
  const found = await readRunsIn(tx, { partition, run_ids });
  const rows = run_ids.flatMap((run_id) => found.get(keyOf({ workspace_id, run_id })) ?? []);
  const written = new Set(rows.map((row) => row.run_id));
  const gone = run_ids.filter((run_id) => !written.has(run_id));
  if (gone.length > 0) await writeDigest(tx, partition, { gone, runs: [], log });
  for await (const runs of withEntries(tx, partition, rows)) {
    await writeDigest(tx, partition, { gone: [], runs, log });
    await options.onDigested(tx, runs);
  }
}

interface Digested {
  /** Of runs that are no longer in the partition. */
  readonly gone: readonly string[];
  readonly runs: readonly DigestedRun[];
  readonly log: Log;
}

async function writeDigest(
  tx: Locked<'digest'>,
  partition: WorkspacePartition,
  { gone, runs, log }: Digested,
): Promise<void> {
  const written = new Set(runs.map(({ row }) => row.run_id));
  const named = new Set([...gone, ...written]);
  const trace_ids = runs.map(({ row }) => row.trace_id);
  const roots = await readRoots(tx, partition, { run_ids: [...new Set([...named, ...trace_ids])] });
  const counts = countsOf(roots, { named, written });
  await addToRollups(tx, partition, { changes: changesOf([...counts.values()]) });
  await removeSearchRows(tx, partition, { run_ids: gone });
  const found_by = runs.map(({ row, entry }) =>
    searchRowOf(row, entry, { counted: counts.get(row.run_id)?.is ?? null }),
  );
  for (const refused of await writeSearchRows(tx, partition, found_by))
    log.warn('run cannot be searched', { workspace_id: partition.workspace_id, ...refused });
  const others = [...counts].filter(([run_id, { was, is }]) => !named.has(run_id) && !isSameCount(was, is));
  await updateCounted(tx, partition, { roots: others.map(([run_id, { is }]) => ({ run_id, counted: is })) });
}

/**
 * What the database refuses of one run must not keep those behind it waiting: such a run is found by nothing but its
 * columns. @returns those runs.
 */
async function writeSearchRows(
  tx: Locked<'digest'>,
  partition: WorkspacePartition,
  rows: readonly SearchRow[],
): Promise<{ readonly run_id: string; readonly code: string }[]> {
  if ((await tryUpsertSearchRows(tx, partition, { rows })) === undefined) return [];
  const refused: { run_id: string; code: string }[] = [];
  for (const row of rows) {
    const code = await tryUpsertSearchRows(tx, partition, { rows: [row] });
    if (code === undefined) continue;
    await upsertSearchRows(tx, partition, { rows: [{ ...row, ...noEntry }] });
    refused.push({ run_id: row.run_id, code });
  }
  return refused;
}

/**
 * How each root was counted and how it is to be counted; one that isn't digested yet counts when it is. So does one that
 * was written again after the others were read: its own change is still to come, and its search row is removed until then.
 */
function countsOf(
  roots: readonly CountedRoot[],
  { named, written }: { readonly named: ReadonlySet<string>; readonly written: ReadonlySet<string> },
) {
  const counted = roots.filter(({ run_id, is_digested }) => is_digested || named.has(run_id));
  return new Map(
    counted.map(({ run_id, was, root }) => {
      const counts = root !== null && (written.has(run_id) || !named.has(run_id));
      return [run_id, { was, is: counts ? countedOf(root) : null }];
    }),
  );
}

function searchRowOf(
  { run_id, trace_id, session_id, start_time }: RunRow,
  entry: SearchEntry,
  { counted }: Pick<SearchRow, 'counted'>,
): SearchRow {
  return { run_id, trace_id, session_id, start_time, counted, ...entry };
}

/** In portions that hold no more in memory than they must. */
async function* withEntries(
  tx: Transaction,
  partition: WorkspacePartition,
  rows: readonly RunRow[],
): AsyncGenerator<DigestedRun[]> {
  const { workspace_id } = partition;
  const slice = new TimeSlice();
  let portion: DigestedRun[] = [];
  let bytes = 0;
  for (let from = 0; from < rows.length; from += RUNS_READ_AT_ONCE) {
    const some = rows.slice(from, from + RUNS_READ_AT_ONCE);
    const run_ids = some.map((row) => row.run_id);
    const stored = await readPayloads(tx, partition, { workspace_id, run_ids, kinds });
    for (const row of some) {
      const payloads = await lookedAt(stored.get(row.run_id) ?? {});
      portion.push({ row, entry: await searchEntryOf({ row, payloads }, slice) });
      bytes += Object.values(payloads).reduce((sum, { length }) => sum + length, 0);
      if (bytes >= PORTION_BYTES) {
        yield portion;
        [portion, bytes] = [[], 0];
      }
      if (slice.isOver()) await slice.next();
    }
  }
  if (portion.length > 0) yield portion;
}

async function lookedAt(stored: Payloads<StoredPayload>): Promise<Payloads<Uint8Array>> {
  const payloads: Partial<Record<PayloadKind, Uint8Array>> = {};
  for (const kind of kinds) {
    const payload = stored[kind];
    if (payload !== undefined) payloads[kind] = await beginningOf(payload);
  }
  return payloads;
}

async function beginningOf(payload: StoredPayload): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of unpackPieces(payload.pieces())) {
    pieces.push(piece);
    length += piece.length;
    if (length >= MAX_LOOKED_AT_BYTES) break;
  }
  return Buffer.concat(pieces).subarray(0, MAX_LOOKED_AT_BYTES);
}
