import { Problem } from '@roadstead/kit';
import type { Database, Transaction } from '@roadstead/postgres';
import { findCommit, lockPrompt } from './commit-store.ts';
import { deleteTag, findTag, insertMove, type TagRow, upsertTag } from './tag-store.ts';

interface TagRequest {
  readonly prompt_id: string;
  readonly name: string;
  readonly actor: string;
}

export function requireTag(row: TagRow | undefined): TagRow {
  if (row === undefined) throw new Problem('not_found', 'The prompt has no such tag.');
  return row;
}

/** Points a name at a version; `must_exist` makes it an error where the name does not exist yet. */
export async function moveTag(
  db: Database,
  {
    commit_id,
    must_exist,
    ...named
  }: TagRequest & { readonly commit_id: string; readonly must_exist: boolean },
): Promise<TagRow> {
  return db.transaction(async (tx) => {
    const before = await lockTag(tx, named);
    if (must_exist) requireTag(before);
    const commit = await findCommit(tx, { prompt_id: named.prompt_id, ref: commit_id.toLowerCase() });
    if (commit === undefined) throw new Problem('not_found', 'The prompt has no such commit.');
    if (before?.commit_id === commit.id) return before;
    await upsertTag(tx, { ...named, commit_id: commit.id });
    await insertMove(tx, { ...named, from: before?.commit_id ?? null, to: commit.id });
    return requireTag(await findTag(tx, named));
  });
}

export async function removeTag(db: Database, named: TagRequest): Promise<void> {
  await db.transaction(async (tx) => {
    const before = requireTag(await lockTag(tx, named));
    await deleteTag(tx, named);
    await insertMove(tx, { ...named, from: before.commit_id, to: null });
  });
}

/** Locks a name: it stays as it is until the transaction ends. */
async function lockTag(tx: Transaction, named: TagRequest): Promise<TagRow | undefined> {
  await lockPrompt(tx, named.prompt_id);
  return findTag(tx, named);
}
