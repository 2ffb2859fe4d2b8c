import type { Queryable } from '@roadstead/kit';
import { type PayloadKind, payloadKinds, type Payloads } from '../ingest/run-operation.ts';
import type { StoredPayload } from './payload-packing.ts';
import { readPayloads } from './payload-store.ts';
import type { RunRecord } from './run-answer-rules.ts';
import type { FoundRun } from './run-query-store.ts';
import { readTraceTotals } from './trace-store.ts';

/** Adds to hot rows of one workspace the payloads that are wanted, and to roots what their traces add up to. */
export async function withPayloads(
  db: Queryable,
  { rows, selected }: { readonly rows: readonly FoundRun[]; readonly selected: readonly string[] },
): Promise<RunRecord[]> {
  const kinds = payloadKinds.filter((kind) => selected.includes(kind));
  const roots = rows.filter((row) => row.is_root);
  const [first] = rows;
  if (first === undefined) return [];
  const totals = await readTraceTotals(db, {
    workspace_id: first.workspace_id,
    trace_ids: roots.map((row) => row.trace_id),
  });
  const payloads = await payloadsOf(db, rows, kinds);
  return rows.map((row) => ({
    row,
    payloads: payloads.get(row.run_id) ?? {},
    totals: row.is_root ? totals.get(row.trace_id) : undefined,
  }));
}

async function payloadsOf(
  db: Queryable,
  rows: readonly FoundRun[],
  kinds: readonly PayloadKind[],
): Promise<Map<string, Payloads<StoredPayload>>> {
  const partitions = Map.groupBy(rows, (row) => `${row.tier}/${row.week}`);
  const found = new Map<string, Payloads<StoredPayload>>();
  for (const group of partitions.values()) {
    const [first] = group;
    if (first === undefined) continue;
    const wanted = { workspace_id: first.workspace_id, run_ids: group.map((row) => row.run_id), kinds };
    for (const [run_id, payloads] of await readPayloads(db, first, wanted)) found.set(run_id, payloads);
  }
  return found;
}
