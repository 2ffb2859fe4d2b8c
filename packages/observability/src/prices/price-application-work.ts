import type { Database, Transaction } from '@roadstead/postgres';
import { noteChanges } from '../records/change-store.ts';
import type { PartitionKey } from '../partitions/week-rules.ts';
import { keyOf } from '../records/run-merge-rules.ts';
import { recountTraces } from '../records/run-removal-store.ts';
import { readRunsIn, updateCosts } from '../records/run-store.ts';
import { lockTraces } from '../records/trace-store.ts';
import { repricedRuns } from './price-application-rules.ts';
import {
  findPartitionAfter,
  listPricedRuns,
  lockApplication,
  type PricedRun,
  recordStep,
} from './price-application-store.ts';
import type { PriceOf } from './price-rules.ts';
import type { InWorkspace } from '../values/keys.ts';

const STEP = 500;

/**
 * Recomputes the costs of some stored runs of a workspace, in one transaction with the record of its progress;
 * repeating it changes nothing. Runs are written under the lock of their trace only, like in ingestion.
 * @returns whether more is left to do here.
 */
export async function applyPricesToSome(
  db: Database,
  { workspace_id, priceOf }: InWorkspace & { readonly priceOf: PriceOf },
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const at = await lockApplication(tx, workspace_id);
    if (at === undefined) return false;
    const { tier, week } = at;
    const partition =
      tier === null || week === null ? await findPartitionAfter(tx, { tier, week }) : { tier, week };
    if (partition === undefined) {
      await recordStep(tx, { ...at, seen: 0, changed: 0, finished: true });
      return false;
    }
    const page = { workspace_id, partition, after: at.run_id, limit: STEP };
    const runs = await listPricedRuns(tx, page);
    const changed = await reprice(tx, { workspace_id, partition, runs, priceOf });
    const last = runs.at(-1);
    const next = last === undefined ? await findPartitionAfter(tx, partition) : partition;
    await recordStep(tx, {
      workspace_id,
      ...(next ?? partition),
      run_id: last?.run_id ?? null,
      seen: runs.length,
      changed,
      finished: next === undefined,
    });
    return next !== undefined;
  });
}

async function reprice(
  tx: Transaction,
  {
    workspace_id,
    partition,
    runs,
    priceOf,
  }: InWorkspace & {
    readonly partition: PartitionKey;
    readonly runs: readonly PricedRun[];
    readonly priceOf: PriceOf;
  },
): Promise<number> {
  const trace_ids = [...new Set(runs.map(({ trace_id }) => trace_id))];
  const { locked } = await lockTraces(
    tx,
    trace_ids.map((trace_id) => ({ workspace_id, trace_id })),
  );
  const stored = await readRunsIn(tx, { partition, run_ids: runs.map(({ run_id }) => run_id) });
  const own = runs.flatMap(({ run_id }) => stored.get(keyOf({ workspace_id, run_id })) ?? []);
  const rows = repricedRuns(own, priceOf);
  await updateCosts(tx, { partition, rows });
  await recountTraces(locked, rows);
  await noteChanges(tx, rows);
  return rows.length;
}
