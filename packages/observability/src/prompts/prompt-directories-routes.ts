import type { promptDirectories } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import { findCommit, readManifest } from './commit-store.ts';
import { writeCommit } from './commit-work.ts';
import { changed, filesOf, manifestOf } from './directory-rules.ts';
import { deletePrompts } from './prompt-store.ts';
import type { PromptRow } from './prompt-row.ts';
import { promptAccess, type PromptOptions } from './prompt-work.ts';

type DirectoryHandlers = Handlers<typeof promptDirectories>;

export function directoryHandlers(options: PromptOptions): DirectoryHandlers {
  const { db } = options;
  const { read, own } = promptAccess(options);
  return {
    readPromptDirectory: async (call) => {
      const row = requireFolder(await read(call), call.query.repo_type);
      const commit = await findCommit(db, { prompt_id: row.id, ref: call.query.commit });
      if (commit === undefined) throw new Problem('not_found', 'It has no such commit.');
      const files = await filesOf(await readManifest(db, commit.id));
      return { commit_id: commit.id, commit_hash: commit.hash, files };
    },
    deletePromptDirectory: async (call) => {
      const { workspace_id, id } = requireFolder(await own(call));
      await deletePrompts(db, { workspace_id, ids: [id] });
    },
    createPromptDirectoryCommit: async (call) => {
      const at = { prompt_id: requireFolder(await own(call)).id, actor: call.principal.actor };
      const { files, parent_commit } = call.body;
      const commit = await writeCommit(db, at, async (latest) => ({
        manifest: manifestOf(changed(await filesOf(latest?.manifest), files)),
        parent: parent_commit ?? undefined,
        description: null,
      }));
      return { commit: { id: commit.id, commit_hash: commit.hash, created_at: commit.created_at } };
    },
  };
}

/** A prompt and a single file are no folders. */
function requireFolder(row: PromptRow, kind: string = row.kind): PromptRow {
  if (row.kind === 'prompt' || row.kind === 'file' || row.kind !== kind)
    throw new Problem('not_found', `This is a ${row.kind}, which is read at another address.`);
  return row;
}
