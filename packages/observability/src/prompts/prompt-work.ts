import type { Call } from '@roadstead/http';
import type { Database } from '@roadstead/postgres';
import { requireOwn, requirePrompt } from './prompt-rules.ts';
import { findPrompt } from './prompt-store.ts';
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
