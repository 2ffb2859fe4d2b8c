import { type UnderLock, nowLocked, type Transaction } from '@roadstead/postgres';
import { notingChanges } from '../records/change-store.ts';
import { keyOf } from '../records/run-merge-rules.ts';
import { MAX_LEVELS } from '../records/placement-rules.ts';
import type { MovedRun, Stray, StrayMove } from './stray.ts';
import type { InWorkspace, RunKey } from '../values/keys.ts';

/** The record of strays. */

/**
 * The lock that every flush holds until it ends, for each workspace that it writes to: exclusively where runs of the
 * workspace don't name their place, otherwise shared. A parent and its child in two concurrent flushes would not see
 * each other.
 */
export async function lockStrays(
  tx: Transaction,
  workspaces: readonly (InWorkspace & { readonly alone: boolean })[],
): Promise<UnderLock<'strays'>> {
  // The order is the same everywhere, so that two flushes can't wait for each other.
  await tx.run(
    `select case when alone then pg_advisory_xact_lock(key) else pg_advisory_xact_lock_shared(key) end from (
       select alone, hashtextextended('roadstead.traces.strays.' || workspace_id, 0) as key
       from unnest($1::uuid[], $2::boolean[]) as u(workspace_id, alone) order by workspace_id offset 0
     ) ordered`,
    [workspaces.map((one) => one.workspace_id), workspaces.map((one) => one.alone)],
  );
  return nowLocked(tx);
}

/** The strays that are among the runs, or wait for one of them, by key. */
export async function findStrays(
  tx: UnderLock<'strays'>,
  runs: readonly RunKey[],
): Promise<Map<string, Stray>> {
  const rows = await tx.query<Stray>(
    `select workspace_id, run_id, parent_run_id, trace_id, tier, week from traces.strays
     where (run_id = any ($1::uuid[]) or parent_run_id = any ($1::uuid[])) and workspace_id = any ($2::uuid[])
     order by run_id for update`,
    [runs.map((run) => run.run_id), [...new Set(runs.map((run) => run.workspace_id))]],
  );
  return new Map(rows.map((row) => [keyOf(row), row]));
}

/** The strays that wait for one of these runs. */
export async function findStraysOf(tx: UnderLock<'strays'>, parents: readonly RunKey[]): Promise<Stray[]> {
  if (parents.length === 0) return [];
  return tx.query<Stray>(
    `select workspace_id, run_id, parent_run_id, trace_id, tier, week from traces.strays
     where parent_run_id = any ($1::uuid[]) and workspace_id = any ($2::uuid[]) order by run_id for update`,
    [parents.map((run) => run.run_id), [...new Set(parents.map((run) => run.workspace_id))]],
  );
}

export async function keepStrays(tx: UnderLock<'strays'>, strays: readonly Stray[]): Promise<void> {
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

export async function forgetStrays(tx: UnderLock<'strays'>, strays: readonly Stray[]): Promise<void> {
  if (strays.length === 0) return;
  await tx.run(
    'delete from traces.strays where (run_id, workspace_id) in (select * from unnest($1::uuid[], $2::uuid[]))',
    [strays.map((stray) => stray.run_id), strays.map((stray) => stray.workspace_id)],
  );
}

/** Moves strays. A stray below another moving one goes where its own move leads. */
export async function moveStrays(tx: UnderLock<'traces'>, moves: readonly StrayMove[]): Promise<MovedRun[]> {
  const moved: MovedRun[] = [];
  const partitions = Map.groupBy(moves, ({ stray }) => `${stray.tier}/${stray.week}`);
  for (const group of partitions.values()) moved.push(...(await moveWithin(tx, group)));
  return moved;
}

/** SQL: the same as `orderBelow`. */
const cutOrder = (order: string) => `case when cardinality(string_to_array(${order}, '.')) > ${MAX_LEVELS}
  then array_to_string((string_to_array(${order}, '.'))[:${MAX_LEVELS - 1}], '.') || '.' || split_part(${order}, '.', -1)
  else ${order} end`;

/**
 * Moves the strays of one partition. Runs below a stray are found by the beginning of their order, of which few
 * lengths occur: comparing every run with every stray would take too long where both are many.
 */
const move_statement = `
  with moves as (
    select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::uuid[], $6::text[], $7::text[], $8::date[])
      as u(workspace_id, with_run_id, from_trace, from_order, trace_id, dotted_order, tier, week)
  ), lengths as (
    select distinct workspace_id, from_trace, length(from_order) as length from moves
  ), below as materialized (
    select distinct on (r.run_id, r.workspace_id) r.workspace_id, r.run_id, m.with_run_id, m.from_trace, m.tier, m.week, m.trace_id,
      r.parent_run_id, r.within_call, case when r.run_id = m.with_run_id then m.dotted_order else ${cutOrder('o.whole')} end as dotted_order
    from lengths l
    join traces.runs r on r.trace_id = l.from_trace and r.workspace_id = l.workspace_id and r.tier = $9::text and r.week = $10::date
    join moves m on m.from_order = left(r.dotted_order, l.length) and m.from_trace = r.trace_id
      and m.workspace_id = r.workspace_id
    cross join lateral (select m.dotted_order || substr(r.dotted_order, l.length + 1) as whole) o
    order by r.run_id, r.workspace_id, m.with_run_id = r.run_id desc, l.length desc
  ), payloads as (
    update traces.payloads p set tier = b.tier, week = b.week from below b
    where p.run_id = b.run_id and p.workspace_id = b.workspace_id and p.tier = $9 and p.week = $10
      and (b.tier, b.week) <> ($9, $10)
  ), moved as (
    update traces.runs r set tier = b.tier, week = b.week, trace_id = b.trace_id, dotted_order = b.dotted_order,
      is_root = r.parent_run_id is null and r.run_id = b.trace_id
    from below b where r.run_id = b.run_id and r.workspace_id = b.workspace_id and r.tier = $9 and r.week = $10
  ), strays as (
    update traces.strays y set tier = b.tier, week = b.week, trace_id = b.trace_id
    from below b where y.run_id = b.run_id and y.workspace_id = b.workspace_id
  ), places as (
    select workspace_id, run_id, tier, week from below
    union select workspace_id, run_id, $9, $10 from below
  ), noted as (
    ${notingChanges('places')}
  )
  select * from below`;

async function moveWithin(tx: UnderLock<'traces'>, moves: readonly StrayMove[]): Promise<MovedRun[]> {
  const [{ stray: { tier, week } } = { stray: { tier: '', week: '' } }] = moves;
  return tx.query<MovedRun>(move_statement, [
    moves.map(({ stray }) => stray.workspace_id),
    moves.map(({ stray }) => stray.run_id),
    moves.map(({ stray }) => stray.trace_id),
    moves.map(({ from_order }) => from_order),
    moves.map(({ to }) => to.trace_id),
    moves.map(({ to }) => to.dotted_order),
    moves.map(({ to }) => to.tier),
    moves.map(({ to }) => to.week),
    tier,
    week,
  ]);
}
