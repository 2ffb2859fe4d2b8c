import { type Database, Problem } from '@roadstead/kit';
import { insertKey } from '../keys/key-store.ts';
import { insertWorkspace, type WorkspaceRow } from './workspace-store.ts';

/** A workspace with a key to it, by which whoever makes it gets in. */
export async function createWorkspace(
  db: Database,
  fresh: Pick<WorkspaceRow, 'id' | 'name'>,
): Promise<WorkspaceRow & { readonly key: string }> {
  return db.transaction(async (tx) => {
    const workspace = await insertWorkspace(tx, fresh);
    if (workspace === undefined) throw new Problem('conflict', 'There is a workspace of this id already.');
    const { key } = await insertKey(tx, { workspace_id: workspace.id, name: 'first', scopes: ['admin'] });
    return { ...workspace, key };
  });
}
