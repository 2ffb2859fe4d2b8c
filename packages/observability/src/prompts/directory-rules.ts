import { parseJson } from '@roadstead/json';
import { Problem } from '@roadstead/kit';

/** The folder of an agent or a skill: an entry at each path. Its manifest is `{"files": {…}}`. */

export type FolderEntry =
  | { readonly type: 'file'; readonly content: string }
  | {
      readonly type: 'agent' | 'skill';
      readonly repo_handle: string;
      readonly owner?: string | null | undefined;
      readonly commit_id?: string | null | undefined;
      readonly commit_hash?: string | null | undefined;
    };
export type Files = Readonly<Record<string, FolderEntry>>;

const MAX_ENTRIES = 1000;
const MAX_CHARACTERS = 10_000_000;

export async function filesOf(manifest: string | undefined): Promise<Files> {
  if (manifest === undefined) return {};
  return ((await parseJson(Buffer.from(manifest))) as { readonly files: Files }).files;
}

/** The folder after a change, in the order of paths: an entry replaces the one at its path, null removes it. */
export function changed(files: Files, changes: Readonly<Record<string, FolderEntry | null>>): Files {
  const entries = new Map<string, FolderEntry>(Object.entries(files));
  for (const [path, entry] of Object.entries(changes)) {
    if (entry === null) entries.delete(path);
    else entries.set(path, entry);
  }
  if (entries.size > MAX_ENTRIES)
    throw new Problem('invalid', `A folder may have ${MAX_ENTRIES} entries at most.`);
  return Object.fromEntries([...entries].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** @throws Problem where it is too large. */
export function manifestOf(files: Files): string {
  const manifest = JSON.stringify({ files });
  if (manifest.length > MAX_CHARACTERS)
    throw new Problem('too_large', `A folder may have ${MAX_CHARACTERS} characters at most.`);
  return manifest;
}
