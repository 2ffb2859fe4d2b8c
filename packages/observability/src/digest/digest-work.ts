import { type Log, TimeSlice } from '@roadstead/kit';
import type { UnderLock, Transaction } from '@roadstead/postgres';
import { type PayloadKind, type Payloads } from '../records/run-operation.ts';
import { type StoredPayload, unpackPieces } from '../records/payload-packing.ts';
import { readPayloads } from '../records/payload-store.ts';
import { keyOf } from '../records/run-merge-rules.ts';
import type { RunRow } from '../records/run-row.ts';
import { readRunsIn } from '../records/run-store.ts';
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

/** A run as it is now, with the entry by which filters find it. */
export interface DigestedRun {
  readonly row: RunRow;
  readonly entry: SearchEntry;
}

/** The consequences of written runs, in the transaction that digests them; the same run may come again. */
export type OnDigested = (tx: Transaction, runs: readonly DigestedRun[]) => Promise<void>;

/** The bytes of a payload that are looked at; the rest is ignored. */
const MAX_LOOKED_AT_BYTES = 4_194_304;
/** The unpacked payloads that are in memory together; entries of words alone take many times as much. */
const PART_BYTES = 4_194_304;
/** The runs that are read, prepared and written together, as far as their payloads are small. */
const PART_RUNS = 100;
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

/**
 * Brings search rows and rollups into line with the stored runs, and does what follows from it. While the database
 * writes one part of the rows, the entries of the next are prepared; their payloads are read before, so that only the
 * writing uses the transaction meanwhile.
 */
export async function digestPartition(
  tx: UnderLock<'digest'>,
  partition: WorkspacePartition,
  { run_ids, options }: RunsToDigest,
): Promise<void> {
  const { workspace_id } = partition;
  const found = await readRunsIn(tx, { partition, run_ids });
  const rows = run_ids.flatMap((run_id) => found.get(keyOf({ workspace_id, run_id })) ?? []);
  const counts = await writeCounts(tx, partition, { run_ids, rows });
  const write = (runs: readonly DigestedRun[]) => writeRuns(tx, partition, { runs, counts, options });
  let prepared: readonly DigestedRun[] = [];
  for await (const part of partsOf(tx, partition, rows))
    [, prepared] = await bothSettled(write(prepared), withEntries(part));
  await write(prepared);
}

/** Waits for both. Where one fails, its error is thrown once the other has ended, too. */
async function bothSettled<A, B>(one: Promise<A>, other: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([one, other]);
  return Promise.all([one, other]);
}

type Counts = ReturnType<typeof countsOf>;

/** Makes the rollups count these runs as they are now, and removes the search rows of those that are gone. */
async function writeCounts(
  tx: UnderLock<'digest'>,
  partition: WorkspacePartition,
  { run_ids, rows }: { readonly run_ids: readonly string[]; readonly rows: readonly RunRow[] },
): Promise<Counts> {
  const named = new Set(run_ids);
  const written = new Set(rows.map((row) => row.run_id));
  const trace_ids = rows.map((row) => row.trace_id);
  const roots = await readRoots(tx, partition, { run_ids: [...new Set([...named, ...trace_ids])] });
  const counts = countsOf(roots, { named, written });
  await addToRollups(tx, partition, { changes: changesOf([...counts.values()]) });
  await removeSearchRows(tx, partition, { run_ids: run_ids.filter((run_id) => !written.has(run_id)) });
  const others = [...counts].filter(([run_id, { was, is }]) => !named.has(run_id) && !isSameCount(was, is));
  await updateCounted(tx, partition, { roots: others.map(([run_id, { is }]) => ({ run_id, counted: is })) });
  return counts;
}

interface WrittenPart {
  readonly runs: readonly DigestedRun[];
  readonly counts: Counts;
  readonly options: DigestOptions;
}

async function writeRuns(
  tx: UnderLock<'digest'>,
  partition: WorkspacePartition,
  { runs, counts, options: { log, onDigested } }: WrittenPart,
): Promise<void> {
  if (runs.length === 0) return;
  const rows = runs.map(({ row, entry }) =>
    searchRowOf(row, entry, { counted: counts.get(row.run_id)?.is ?? null }),
  );
  for (const refused of await writeSearchRows(tx, partition, rows))
    log.warn('run cannot be searched', { workspace_id: partition.workspace_id, ...refused });
  await onDigested(tx, runs);
}

/**
 * A run that the database refuses must not keep those behind it waiting: such a run is found by nothing but its
 * columns.
 * @returns the refused runs.
 */
async function writeSearchRows(
  tx: UnderLock<'digest'>,
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
 * How each root was counted and how it is to be counted. A root that isn't digested yet counts when it is, and so
 * does one that was written again after the others were read: its own change is still to come, and its search row is
 * removed until then.
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

interface LookedAt {
  readonly row: RunRow;
  /** Unpacked. */
  readonly payloads: Payloads<Uint8Array>;
}

/** Yields parts that hold as little in memory as possible; of a part that was yielded nothing is left to be read. */
async function* partsOf(
  tx: Transaction,
  partition: WorkspacePartition,
  rows: readonly RunRow[],
): AsyncGenerator<readonly LookedAt[]> {
  const { workspace_id } = partition;
  const slice = new TimeSlice();
  for (let from = 0; from < rows.length; from += PART_RUNS) {
    const some = rows.slice(from, from + PART_RUNS);
    const run_ids = some.map((row) => row.run_id);
    const stored = await readPayloads(tx, partition, { workspace_id, run_ids, kinds });
    let part: LookedAt[] = [];
    let bytes = 0;
    for (const row of some) {
      const payloads = await lookedAt(stored.get(row.run_id) ?? {});
      const size = Object.values(payloads).reduce((sum, { length }) => sum + length, 0);
      if (part.length > 0 && bytes + size > PART_BYTES) {
        yield part;
        [part, bytes] = [[], 0];
      }
      part.push({ row, payloads });
      bytes += size;
      if (slice.isOver()) await slice.next();
    }
    yield part;
  }
}

/** Prepares entries in turns with other work, such as the connection on which the part before is written. */
async function withEntries(part: readonly LookedAt[]): Promise<DigestedRun[]> {
  const slice = new TimeSlice();
  // The part to be written is sent first.
  await slice.next();
  const runs: DigestedRun[] = [];
  for (const { row, payloads } of part) {
    runs.push({ row, entry: await searchEntryOf({ row, payloads }, slice) });
    if (slice.isOver()) await slice.next();
  }
  return runs;
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
