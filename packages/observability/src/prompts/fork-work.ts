import { Problem } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { copyCommits } from './commit-store.ts';
import { insertPrompt, type PromptFields } from './prompt-store.ts';
import type { PromptReader, PromptRow } from './prompt-row.ts';

/** Copies a prompt with its versions; fields that are not given stay the same. */
export async function forkPrompt(
  db: Database,
  reader: PromptReader,
  {
    from: source,
    fields,
  }: { readonly from: PromptRow; readonly fields: PromptFields & { readonly handle: string } },
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
