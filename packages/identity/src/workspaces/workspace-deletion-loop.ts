import { again, type Log, Loop, type PassResult, settled } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { eraseWorkspace, findDeletionAge, listDeleting } from '../records/workspace-store.ts';
import type { WorkspaceHolder } from './workspace-holders.ts';

/**
 * How long an edge elsewhere may still accept a credential of the workspace (30 s), and a service an assertion made
 * of it (a minute).
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
 * Has every service erase its data of the workspaces that are being deleted, and then erases them here. Each step may
 * be interrupted at any moment and repeated.
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
  // One more pass erases what came in by a credential that was still accepted, once it can't be accepted any more.
  const left_ms = credentials_die_ms - age_ms;
  if (left_ms > 0) return again(left_ms);
  await db.transaction((tx) => eraseWorkspace(tx, id));
  return settled;
}
