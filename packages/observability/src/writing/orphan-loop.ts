import { again, type Bound, type Log, Loop, settled } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { listWorkspacesOfStrays } from './orphan-store.ts';
import { promoteOrphans } from './orphan-work.ts';

/**
 * The time that a parent has to arrive: most end within minutes of their children, and a later one still moves them
 * below itself.
 */
const GRACE_MS = 300_000;

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
