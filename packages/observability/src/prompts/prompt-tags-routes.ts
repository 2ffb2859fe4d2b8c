import type { promptTags } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { promptAccess, type PromptOptions } from './prompt-work.ts';
import { findTag, listMoves, listTags } from './tag-store.ts';
import { moveTag, removeTag, requireTag } from './tag-work.ts';

type TagHandlers = Handlers<typeof promptTags>;

export function tagHandlers(options: PromptOptions): TagHandlers {
  const { db } = options;
  const access = promptAccess(options);
  const own = async (call: Parameters<typeof access.own>[0]) => ({
    prompt_id: (await access.own(call)).id,
    actor: call.principal.actor,
  });
  return {
    listPromptTags: async (call) => listTags(db, (await access.read(call)).id),
    createPromptTag: async (call) => {
      const { tag_name: name, commit_id } = call.body;
      return moveTag(db, { ...(await own(call)), name, commit_id, must_exist: false });
    },
    readPromptTag: async (call) => {
      const prompt = await access.read(call);
      return requireTag(await findTag(db, { prompt_id: prompt.id, name: call.params.tag_name }));
    },
    patchPromptTag: async (call) => {
      const name = call.params.tag_name;
      return moveTag(db, { ...(await own(call)), name, commit_id: call.body.commit_id, must_exist: true });
    },
    deletePromptTag: async (call) => {
      await removeTag(db, { ...(await own(call)), name: call.params.tag_name });
      return { message: 'The tag is removed.' };
    },
    listPromptTagMoves: async (call) => {
      const prompt = await access.read(call);
      const named = { prompt_id: prompt.id, name: call.params.tag_name };
      const { rows, total } = await listMoves(db, { ...named, ...call.query });
      return { total, transitions: rows.map((row) => ({ ...row, performed_by_name: null })) };
    },
  };
}
