import { type Locked, type Log, TimeSlice, type Transaction } from '@roadstead/kit';
import { type PayloadKind, type Payloads } from '../ingest/run-operation.ts';
import { type StoredPayload, unpackPieces } from '../runs/payload-packing.ts';
import { readPayloads } from '../runs/payload-store.ts';
import { keyOf } from '../runs/run-merge-rules.ts';
import type { RunRow } from '../runs/run-row.ts';
import { readRunsIn } from '../runs/run-store.ts';
import { noEntry, type SearchEntry, searchEntryOf } from '../search/search-entry.ts';
import { type Change, takeChanges } from './change-store.ts';
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

/** Of one transaction, about. */
const RUNS_AT_ONCE = 500;
/** What is beyond of a payload is not looked at. */
const MAX_LOOKED_AT_BYTES = 4_194_304;
const kinds = ['inputs', 'outputs', 'extra', 'error'] as const satisfies readonly PayloadKind[];

export interface DigestOptions {
  readonly workspace_id: string;
  readonly onDigested: OnDigested;
  readonly log: Log;
}

/**
 * One step: takes the oldest changes of a workspace, and makes search rows and rollups say what is stored of the runs
 * they name. Whatever happened to a run in between, and however often it is named, the result is the same.
 * @returns whether there was something to do.
 */
export async function digestSome(
  tx: Locked<'digest'>,
  { workspace_id, onDigested, log }: DigestOptions,
): Promise<boolean> {
  const changes = await takeChanges(tx, { workspace_id, runs: RUNS_AT_ONCE });
  for (const group of Map.groupBy(changes, ({ tier, week }) => `${tier}/${week}`).values()) {
    const runs = await digestPartition(tx, group, { workspace_id, log });
    if (runs.length > 0) await onDigested(tx, runs);
  }
  return changes.length > 0;
}

async function digestPartition(
  tx: Locked<'digest'>,
  changes: readonly Change[],
  { workspace_id, log }: Pick<DigestOptions, 'workspace_id' | 'log'>,
): Promise<DigestedRun[]> {
  const [{ tier, week } = { tier: '', week: '' }] = changes;
  const partition: WorkspacePartition = { workspace_id, tier, week };
  const run_ids = [...new Set(changes.flatMap((change) => change.run_ids))];
  const found = await readRunsIn(tx, { partition, run_ids });
  const rows = run_ids.flatMap((run_id) => found.get(keyOf({ workspace_id, run_id })) ?? []);
  const runs = await withEntries(tx, partition, rows);
  const trace_ids = rows.map((row) => row.trace_id);
  const roots = await readRoots(tx, partition, { run_ids: [...new Set([...run_ids, ...trace_ids])] });
  const named = new Set(run_ids);
  const written = new Set(rows.map((row) => row.run_id));
  const counts = countsOf(roots, { named, written });
  await addToRollups(tx, partition, { changes: changesOf([...counts.values()]) });
  await removeSearchRows(tx, partition, { run_ids: run_ids.filter((run_id) => !written.has(run_id)) });
  const found_by = runs.map(({ row, entry }) =>
    searchRowOf(row, entry, { counted: counts.get(row.run_id)?.is ?? null }),
  );
  for (const { run_id, code } of await writeSearchRows(tx, partition, found_by))
    log.warn('run cannot be searched', { workspace_id, run_id, code });
  const others = [...counts].filter(([run_id, { was, is }]) => !named.has(run_id) && !isSameCount(was, is));
  await updateCounted(tx, partition, { roots: others.map(([run_id, { is }]) => ({ run_id, counted: is })) });
  return runs;
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

async function withEntries(
  tx: Transaction,
  partition: WorkspacePartition,
  rows: readonly RunRow[],
): Promise<DigestedRun[]> {
  const { workspace_id } = partition;
  const run_ids = rows.map((row) => row.run_id);
  const stored = await readPayloads(tx, partition, { workspace_id, run_ids, kinds });
  const slice = new TimeSlice();
  const runs: DigestedRun[] = [];
  for (const row of rows) {
    const payloads = await lookedAt(stored.get(row.run_id) ?? {});
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
