import { type Locked, nowLocked, type Transaction } from '@roadstead/kit';
import { notingChanges } from '../digest/change-store.ts';
import type { PartitionKey } from '../partitions/week-rules.ts';
import { keyOf } from './run-merge-rules.ts';
import type { TracePlace } from './run-row.ts';
import { mergeTraces } from './trace-store.ts';

/** Runs that are kept apart until their place is known (`placement-rules.ts`). Clients that are SDKs make none. */

export interface Stray extends PartitionKey {
  readonly workspace_id: string;
  readonly run_id: string;
  readonly parent_run_id: string | null;
  /** Where it is kept meanwhile. */
  readonly trace_id: string;
}

/**
 * Held by every flush until it ends, for each workspace that it writes to: alone where runs of it don't say their place,
 * else with others. A parent and its child in two flushes at once would not see each other.
 */
export async function lockStrays(
  tx: Transaction,
  workspaces: readonly { readonly workspace_id: string; readonly alone: boolean }[],
): Promise<Locked<'strays'>> {
  // In one order everywhere, so that two flushes can't wait for each other.
  await tx.run(
    `select case when alone then pg_advisory_xact_lock(key) else pg_advisory_xact_lock_shared(key) end from (
       select alone, hashtextextended('roadstead.traces.strays.' || workspace_id, 0) as key
       from unnest($1::uuid[], $2::boolean[]) as u(workspace_id, alone) order by workspace_id offset 0
     ) ordered`,
    [workspaces.map((one) => one.workspace_id), workspaces.map((one) => one.alone)],
  );
  return nowLocked(tx);
}

/** Those that are among the runs, or wait for one of them, by key. */
export async function findStrays(
  tx: Locked<'strays'>,
  runs: readonly { readonly workspace_id: string; readonly run_id: string }[],
): Promise<Map<string, Stray>> {
  const rows = await tx.query<Stray>(
    `select workspace_id, run_id, parent_run_id, trace_id, tier, week from traces.strays
     where (run_id = any ($1::uuid[]) or parent_run_id = any ($1::uuid[])) and workspace_id = any ($2::uuid[])
     order by run_id for update`,
    [runs.map((run) => run.run_id), [...new Set(runs.map((run) => run.workspace_id))]],
  );
  return new Map(rows.map((row) => [keyOf(row), row]));
}

/** Those that wait for a run below this one, now that it has been moved. */
export async function findStraysBelow(
  tx: Locked<'strays'>,
  moved: { readonly place: TracePlace; readonly dotted_order: string },
): Promise<Stray[]> {
  const { place } = moved;
  return tx.query<Stray>(
    `select y.workspace_id, y.run_id, y.parent_run_id, y.trace_id, y.tier, y.week
     from traces.runs r join traces.strays y on y.parent_run_id = r.run_id and y.workspace_id = r.workspace_id
     where r.workspace_id = $1 and r.trace_id = $2 and r.tier = $3 and r.week = $4 and starts_with(r.dotted_order, $5)
     for update of y`,
    [place.workspace_id, place.trace_id, place.tier, place.week, moved.dotted_order],
  );
}

export async function keepStrays(tx: Locked<'strays'>, strays: readonly Stray[]): Promise<void> {
  if (strays.length === 0) return;
  await tx.run(
    `insert into traces.strays (workspace_id, run_id, parent_run_id, trace_id, tier, week)
     select * from json_to_recordset($1::text::json)
       as j(workspace_id uuid, run_id uuid, parent_run_id uuid, trace_id uuid, tier text, week date)
     on conflict (run_id, workspace_id) do update set parent_run_id = excluded.parent_run_id,
       trace_id = excluded.trace_id, tier = excluded.tier, week = excluded.week`,
    [JSON.stringify(strays)],
  );
}

export async function forgetStray(tx: Locked<'strays'>, stray: Stray): Promise<void> {
  await tx.run('delete from traces.strays where run_id = $1 and workspace_id = $2', [
    stray.run_id,
    stray.workspace_id,
  ]);
}

/** Moves a stray with all that is below it into a trace, which may be the one it is in already. */
export async function moveStray(
  tx: Locked<'traces'>,
  stray: Stray,
  to: { readonly place: TracePlace; readonly dotted_order: string },
): Promise<void> {
  const { place } = to;
  const found = await tx.maybe<{ dotted_order: string }>(
    `select dotted_order from traces.runs where run_id = $1 and workspace_id = $2 and tier = $3 and week = $4`,
    [stray.run_id, stray.workspace_id, stray.tier, stray.week],
  );
  if (found === undefined) return;
  const from = [stray.workspace_id, stray.trace_id, stray.tier, stray.week, found.dotted_order];
  const below = `r.workspace_id = $1 and r.trace_id = $2 and r.tier = $3 and r.week = $4 and starts_with(r.dotted_order, $5)`;
  if (stray.tier !== place.tier || stray.week !== place.week) {
    await tx.run(
      `update traces.payloads p set tier = $6, week = $7 from traces.runs r
       where ${below} and p.run_id = r.run_id and p.workspace_id = r.workspace_id and p.tier = $3 and p.week = $4`,
      [...from, place.tier, place.week],
    );
  }
  await tx.run(
    `with moved as (
       update traces.runs r set tier = $6, week = $7, trace_id = $8,
         dotted_order = $9 || substr(r.dotted_order, length($5) + 1),
         is_root = r.parent_run_id is null and r.run_id = $8
       where ${below} returning r.workspace_id, r.run_id
     ), places as (
       select workspace_id, run_id, $6 as tier, $7::date as week from moved
       union select workspace_id, run_id, $3, $4::date from moved
     )
     ${notingChanges('places')}`,
    [...from, place.tier, place.week, place.trace_id, to.dotted_order],
  );
  if (stray.trace_id !== place.trace_id)
    await mergeTraces(tx, stray.workspace_id, { from: stray.trace_id, to: place.trace_id });
}
