import type { Database } from '@roadstead/postgres';
import { noteChanges } from '../records/change-store.ts';
import { findOrphans, markPromoted, promoteRuns } from './orphan-store.ts';
import { inheritFromRoots } from '../records/run-store.ts';
import { lockStrays } from './stray-store.ts';
import { lockTraces } from '../records/trace-store.ts';

const STEP = 200;

/**
 * Promotes runs whose parent has not arrived for so long to roots, each with a trace of its own that contains all
 * runs below it, so that lists of traces show them. They go on waiting, and are moved below their parent when it
 * arrives.
 * @returns how many were promoted.
 */
export async function promoteOrphans(
  db: Database,
  { workspace_id, grace_ms }: { readonly workspace_id: string; readonly grace_ms: number },
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
