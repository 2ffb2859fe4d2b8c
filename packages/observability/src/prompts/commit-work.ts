import { Problem } from '@roadstead/kit';
import type { Database, Transaction } from '@roadstead/postgres';
import { hashOf } from './commit-hash.ts';
import type { SentCommit } from './commit-rules.ts';
import { findCommit, insertCommit, lockPrompt, readManifest } from './commit-store.ts';
import type { CommitRow } from './prompt-row.ts';

interface CommitTarget {
  readonly prompt_id: string;
  readonly actor: string;
}

/** Makes the next version from the latest one. */
type Next = (latest: (CommitRow & { readonly manifest: string }) | undefined) => Promise<SentCommit>;

/** Writes a version after the latest one. */
export async function writeCommit(
  db: Database,
  { prompt_id, actor }: CommitTarget,
  next: Next,
): Promise<CommitRow & { readonly manifest: string }> {
  return db.transaction(async (tx) => {
    const locked = await lockPrompt(tx, prompt_id);
    if (locked === undefined) throw new Problem('not_found', 'The prompt does not exist.');
    const latest = await readCommit(tx, { prompt_id, ref: 'latest' });
    const { manifest, parent, description } = await next(latest);
    if (parent !== undefined && parent !== 'latest') {
      const named = await findCommit(tx, { prompt_id, ref: parent });
      if (named === undefined || named.id !== latest?.id)
        throw new Problem('conflict', 'The parent commit is not the latest one.', {
          hint: 'Pull the latest version and try again.',
        });
    }
    if (manifest === latest?.manifest)
      throw new Problem('conflict', 'Nothing to commit: the prompt has not changed since the latest commit.');
    const hash = hashOf({ manifest, parent: latest?.hash ?? null });
    const number = locked.num_commits + 1;
    const { id } = await insertCommit(tx, { prompt_id, number, hash, manifest, description, actor });
    const written = await readCommit(tx, { prompt_id, ref: id });
    if (written === undefined) throw new Error('A version was not found after it was written.');
    return written;
  });
}

async function readCommit(tx: Transaction, named: { readonly prompt_id: string; readonly ref: string }) {
  const row = await findCommit(tx, named);
  return row === undefined ? undefined : { ...row, manifest: await readManifest(tx, row.id) };
}
