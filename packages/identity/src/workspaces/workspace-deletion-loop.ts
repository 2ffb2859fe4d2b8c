import { again, type Database, type Log, Loop, type PassResult, settled } from '@roadstead/kit';
import { eraseWorkspace, findDeletionAge, listDeleting } from '../records/workspace-store.ts';
import type { WorkspaceHolder } from './workspace-holders.ts';

/**
 * Until then an edge elsewhere may take a credential of the workspace for good, and a service the assertion that it made
 * of it: 30 s and a minute.
 */
export const CREDENTIALS_DIE_MS = 90_000;
const AGAIN_MS = 1000;

export interface DeletionContext {
  readonly db: Database;
  readonly log: Log;
  readonly holders: readonly WorkspaceHolder[];
  readonly credentials_die_ms: number;
}

/**
 * Has every service erase what it has of the workspaces that are being deleted, and erases them here at last. Each step
 * may be ended at any moment and taken again.
 */
export function workspaceDeletionLoop(context: DeletionContext): Loop {
  return new Loop({
    name: 'workspace deletions',
    log: context.log,
    list: () => listDeleting(context.db),
    reconcile: (id) => pass(context, id),
  });
}

async function pass({ db, holders, credentials_die_ms }: DeletionContext, id: string): Promise<PassResult> {
  const age_ms = await findDeletionAge(db, id);
  if (age_ms === undefined) return settled;
  let is_done = true;
  for (const holder of holders) is_done = (await holder.erase(id)).is_done && is_done;
  if (!is_done) return again(AGAIN_MS);
  // What came in by a credential that was still believed is erased by one more pass after it can't be any more.
  const left_ms = credentials_die_ms - age_ms;
  if (left_ms > 0) return again(left_ms);
  await db.transaction((tx) => eraseWorkspace(tx, id));
  return settled;
}
