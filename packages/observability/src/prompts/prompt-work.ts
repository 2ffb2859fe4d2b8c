import type { Call } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { copyCommits } from './commit-store.ts';
import { requireOwn, requirePrompt } from './prompt-rules.ts';
import { findPrompt, insertPrompt, type NewPrompt } from './prompt-store.ts';
import type { PromptReader, PromptRow } from './prompt-row.ts';

export interface PromptOptions {
  readonly db: Database;
  /** Whether prompts are visible outside of their workspace. */
  readonly public_sharing: boolean;
}

type PromptCall = Call<{ readonly owner: string; readonly repo: string }>;

/** The prompt that an address names, as far as the caller has access. */
export function promptAccess({ db, public_sharing }: PromptOptions) {
  const readerOf = ({ workspace_id, principal }: Call): PromptReader => ({
    workspace_id,
    actor: principal.actor,
    sees_public: public_sharing,
  });
  const read = async (call: PromptCall): Promise<PromptRow> =>
    requirePrompt(await findPrompt(db, readerOf(call), call.params));
  return {
    readerOf,
    /** @throws Problem where the caller sees no such prompt. */
    read,
    /** @throws Problem where it is another workspace's. */
    own: async (call: PromptCall): Promise<PromptRow> => requireOwn(await read(call), readerOf(call)),
  };
}

/** Copies a prompt with its versions; fields that are not given stay the same. */
export async function forkPrompt(
  db: Database,
  reader: PromptReader,
  { from: source, fields }: { readonly from: PromptRow; readonly fields: NewPrompt },
): Promise<void> {
  await db.transaction(async (tx) => {
    const id = await insertPrompt(tx, reader, {
      handle: fields.handle,
      kind: source.kind,
      description: fields.description ?? source.description,
      readme: fields.readme ?? source.readme,
      tags: fields.tags ?? source.tags,
      is_public: fields.is_public ?? false,
      upstream_id: source.id,
      original_id: source.original_id ?? source.id,
    });
    if (id === undefined) throw new Problem('conflict', 'A prompt with this name already exists.');
    await copyCommits(tx, { from: source.id, to: id, actor: reader.actor });
  });
}
