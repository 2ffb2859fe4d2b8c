import type { Queryable, Transaction } from '@roadstead/postgres';
import { hasEnoughLonglived } from '../usage/limit-store.ts';
import { noteChanges } from '../records/change-store.ts';
import type { InWorkspace, RunKey } from '../values/keys.ts';

/**
 * Requests to keep the trace of a run as long as the long-lived ones. A request may come before its run;
 * `extension-loop.ts` moves the trace once it exists.
 */

/** A request without a run, such as one for a project, is ignored. */
export async function requestExtensions(
  tx: Queryable,
  {
    runs,
    now,
  }: {
    readonly runs: readonly (InWorkspace & { readonly run_id: string | null })[];
    /** ISO text. */
    readonly now: string;
  },
): Promise<void> {
  const wished = runs.filter((run): run is RunKey => run.run_id !== null);
  if (wished.length === 0) return;
  await tx.run(
    `insert into traces.retention_extensions (workspace_id, run_id, requested_at)
     select distinct u.workspace_id, u.run_id, $3::timestamptz
     from unnest($1::uuid[], $2::uuid[]) as u(workspace_id, run_id) order by 2, 1
     on conflict (run_id, workspace_id) do nothing`,
    [wished.map((run) => run.workspace_id), wished.map((run) => run.run_id), now],
  );
}

export interface WishedTrace extends RunKey {
  readonly trace_id: string;
  readonly tier: string;
  readonly week: string;
}

/** Requests whose run exists, oldest first, with the trace of the run. */
export async function listWishedTraces(db: Queryable, limit: number): Promise<WishedTrace[]> {
  return db.query<WishedTrace>(
    `select e.workspace_id, e.run_id, r.trace_id, r.tier, r.week from traces.retention_extensions e
     join traces.runs r on r.run_id = e.run_id and r.workspace_id = e.workspace_id
     order by e.requested_at limit ${limit}`,
  );
}

/** Removes a request when it is fulfilled; one whose run never arrived is removed after some time. */
export async function forgetExtension(tx: Queryable, { workspace_id, run_id }: RunKey): Promise<void> {
  await tx.run('delete from traces.retention_extensions where workspace_id = $1 and run_id = $2', [
    workspace_id,
    run_id,
  ]);
}

export async function forgetOldExtensions(db: Queryable, before: string): Promise<void> {
  await db.run('delete from traces.retention_extensions where requested_at < $1', [before]);
}

/** Tables partitioned by tier and week: updating these columns moves a row to another partition. */
const partitioned = ['payloads', 'runs'] as const;

/** Moves a trace, unless another was quicker, or the workspace keeps no more traces long this month. */
export async function moveTrace(
  tx: Transaction,
  { to_tier, ...trace }: WishedTrace & { readonly to_tier: string },
): Promise<void> {
  const locked = await tx.maybe(
    `select from traces.traces t where workspace_id = $1 and trace_id = $2 and tier = $3 and week = $4
       and not ($5 = 'longlived' and ${hasEnoughLonglived('t.workspace_id', 'now()')}) for update of t`,
    [trace.workspace_id, trace.trace_id, trace.tier, trace.week, to_tier],
  );
  if (locked === undefined) return;
  const runs = await tx.query<{ run_id: string }>(
    'select run_id from traces.runs where workspace_id = $1 and trace_id = $2 and tier = $3 and week = $4',
    [trace.workspace_id, trace.trace_id, trace.tier, trace.week],
  );
  const run_ids = runs.map((run) => run.run_id);
  for (const table of partitioned) {
    await tx.run(
      `update traces.${table} set tier = $5
       where workspace_id = $1 and tier = $2 and week = $3 and run_id = any ($4::uuid[])`,
      [trace.workspace_id, trace.tier, trace.week, run_ids, to_tier],
    );
  }
  await tx.run(
    `update traces.strays set tier = $4 where workspace_id = $1 and tier = $2 and run_id = any ($3::uuid[])`,
    [trace.workspace_id, trace.tier, run_ids, to_tier],
  );
  await tx.run('update traces.traces set tier = $3 where workspace_id = $1 and trace_id = $2', [
    trace.workspace_id,
    trace.trace_id,
    to_tier,
  ]);
  const { workspace_id, week } = trace;
  const places = [trace.tier, to_tier].flatMap((tier) =>
    run_ids.map((run_id) => ({ workspace_id, run_id, tier, week })),
  );
  await noteChanges(tx, places);
}
