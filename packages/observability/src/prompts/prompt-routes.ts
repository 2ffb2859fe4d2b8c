import type { observability } from '@roadstead/contracts/observability';
import { type Call, type Handlers, Problem } from '@roadstead/kit';
import { forkPrompt } from './fork-work.ts';
import { promptAnswer, requireSharing } from './prompt-rules.ts';
import { deletePrompts, insertPrompt, setLike, updatePrompt } from './prompt-store.ts';
import type { PromptRow } from './prompt-row.ts';
import { promptAccess, type PromptOptions } from './prompt-work.ts';

type PromptHandlers = Pick<
  Handlers<typeof observability>,
  | 'createPrompt'
  | 'deletePrompts'
  | 'readPrompt'
  | 'patchPrompt'
  | 'deletePrompt'
  | 'forkPrompt'
  | 'likePrompt'
>;

export function promptHandlers(options: PromptOptions): PromptHandlers {
  const { db, public_sharing } = options;
  const { readerOf, read, own } = promptAccess(options);
  const answer = (row: PromptRow) => ({ repo: { ...promptAnswer(row), latest_commit_manifest: null } });
  /** The prompt as it is now. */
  const answerOf = async (call: Call, repo: string) =>
    answer(await read({ ...call, params: { owner: '-', repo } }));
  return {
    createPrompt: async (call) => {
      const { repo_handle: handle, repo_type: kind, ...fields } = call.body;
      requireSharing(fields.is_public, public_sharing);
      const id = await insertPrompt(db, readerOf(call), { ...fields, handle, kind });
      if (id === undefined) throw new Problem('conflict', 'A prompt with this name already exists.');
      return answerOf(call, handle);
    },
    deletePrompts: async ({ workspace_id, query }) => {
      await deletePrompts(db, { workspace_id, ids: query.repo_ids });
      return { message: 'The prompts are deleted.' };
    },
    readPrompt: async (call) => answer(await read(call)),
    patchPrompt: async (call) => {
      requireSharing(call.body.is_public, public_sharing);
      const { id, handle } = await own(call);
      await updatePrompt(db, id, call.body);
      return answerOf(call, handle);
    },
    deletePrompt: async (call) => {
      const { workspace_id, id } = await own(call);
      await deletePrompts(db, { workspace_id, ids: [id] });
      return { message: 'The prompt is deleted.' };
    },
    forkPrompt: async (call) => {
      const { repo_handle: handle, ...fields } = call.body;
      requireSharing(fields.is_public, public_sharing);
      const source = await read(call);
      await forkPrompt(db, readerOf(call), { from: source, fields: { ...fields, handle } });
      return answerOf(call, handle);
    },
    likePrompt: async (call) => {
      const { id } = await read(call);
      return { likes: await setLike(db, { id, actor: call.principal.actor, likes: call.body.like }) };
    },
  };
}
