import { again, type Bound, type Log, Loop, settled } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { noteChanges } from '../records/change-store.ts';
import { inheritFromRoots } from '../records/run-store.ts';
import { lockTraces } from '../records/trace-store.ts';
import { findOrphans, listWorkspacesOfStrays, markPromoted, promoteRuns } from './orphan-store.ts';
import { lockStrays } from './stray-store.ts';
import type { InWorkspace } from '../values/keys.ts';

/**
 * The time that a parent has to arrive: most end within minutes of their children, and a later one still moves them
 * below itself.
 */
const GRACE_MS = 300_000;

/** How many runs a step promotes. */
const STEP = 200;

/** One step at a time: workspaces take turns. */
const orphanBound: Bound<string> = { size: 1, owner: (workspace_id) => [workspace_id] };

/** Promotes runs whose parent does not arrive to roots. A key is a workspace. */
export function orphanLoop(
  db: Database,
  log: Log,
  {
    grace_ms = GRACE_MS,
    resync_ms = 30_000,
  }: { readonly grace_ms?: number; readonly resync_ms?: number } = {},
): Loop {
  return new Loop({
    name: 'orphans',
    log,
    concurrency: orphanBound.size,
    owner: orphanBound.owner,
    resync_ms,
    list: () => listWorkspacesOfStrays(db, grace_ms),
    reconcile: async (workspace_id) =>
      (await promoteOrphans(db, { workspace_id, grace_ms })) > 0 ? again(0) : settled,
  });
}

/**
 * Promotes runs whose parent has not arrived for so long to roots, each with a trace of its own that contains all
 * runs below it, so that lists of traces show them. They go on waiting, and are moved below their parent when it
 * arrives.
 * @returns how many were promoted.
 */
export async function promoteOrphans(
  db: Database,
  { workspace_id, grace_ms }: InWorkspace & { readonly grace_ms: number },
): Promise<number> {
  return db.transaction(async (tx) => {
    const locked = await lockStrays(tx, [{ workspace_id, alone: true }]);
    const orphans = await findOrphans(locked, { workspace_id, grace_ms, limit: STEP });
    const { locked: traces } = await lockTraces(tx, orphans);
    const roots = await promoteRuns(locked, orphans);
    await inheritFromRoots(traces, roots);
    await markPromoted(locked, orphans);
    await noteChanges(tx, roots);
    return orphans.length;
  });
}
