import type { UnderLock, Queryable } from '@roadstead/postgres';
import { listWaitingWorkspaces } from '../claims/waiting-workspace-store.ts';
import type { Stray } from './stray.ts';
import type { InWorkspace } from '../values/keys.ts';

/** Strays whose parent does not arrive. */

/** The workspaces that have such strays. */
export async function listWorkspacesOfStrays(db: Queryable, grace_ms: number): Promise<string[]> {
  const until = 'now() - make_interval(secs => $1)';
  const values = [grace_ms / 1000];
  return listWaitingWorkspaces(db, {
    table: 'traces.strays',
    waits: 'not promoted',
    by: 'kept_at',
    until,
    values,
  });
}

/** Strays that have waited for so long, have begun, and do not name their trace. */
export async function findOrphans(
  tx: UnderLock<'strays'>,
  { workspace_id, grace_ms, limit }: InWorkspace & { readonly grace_ms: number; readonly limit: number },
): Promise<Stray[]> {
  return tx.query<Stray>(
    `select workspace_id, run_id, parent_run_id, trace_id, tier, week from traces.strays
     where workspace_id = $1 and not promoted and kept_at <= now() - make_interval(secs => $2)
     order by kept_at limit $3 for update`,
    [workspace_id, grace_ms / 1000, limit],
  );
}

export interface PromotedRun {
  readonly workspace_id: string;
  readonly run_id: string;
  readonly trace_id: string;
  readonly tier: string;
  readonly week: string;
  readonly session_id: string;
  readonly thread_id: string | null;
}

/** Gives their traces the project and the conversation of their new roots, too. */
export async function promoteRuns(
  tx: UnderLock<'strays'>,
  orphans: readonly Stray[],
): Promise<PromotedRun[]> {
  if (orphans.length === 0) return [];
  return tx.query<PromotedRun>(
    `with roots as (
       update traces.runs r set is_root = true
       from unnest($1::uuid[], $2::uuid[], $3::text[], $4::date[]) as u(workspace_id, run_id, tier, week)
       where r.workspace_id = u.workspace_id and r.run_id = u.run_id and r.tier = u.tier and r.week = u.week
         and r.trace_id = r.run_id and r.parent_run_id is not null
       returning r.workspace_id, r.run_id, r.trace_id, r.tier, r.week, r.session_id, r.thread_id
     ), placed as (
       update traces.traces t set session_id = roots.session_id, thread_id = roots.thread_id
       from roots where t.workspace_id = roots.workspace_id and t.trace_id = roots.trace_id
     )
     select * from roots`,
    [
      orphans.map((one) => one.workspace_id),
      orphans.map((one) => one.run_id),
      orphans.map((one) => one.tier),
      orphans.map((one) => one.week),
    ],
  );
}

export async function markPromoted(tx: UnderLock<'strays'>, orphans: readonly Stray[]): Promise<void> {
  if (orphans.length === 0) return;
  await tx.run(
    `update traces.strays y set promoted = true from unnest($1::uuid[], $2::uuid[]) as u(workspace_id, run_id)
     where y.workspace_id = u.workspace_id and y.run_id = u.run_id`,
    [orphans.map((one) => one.workspace_id), orphans.map((one) => one.run_id)],
  );
}
