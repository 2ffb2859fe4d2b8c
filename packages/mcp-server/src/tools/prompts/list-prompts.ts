import { z } from 'zod';
import { flagOr } from '../input-rules.ts';
import { listAnswer, listInputs, listOutput, readSome } from '../list-answers.ts';
import { unexpectedAnswer } from '../tool-error.ts';
import { tool } from '../tool.ts';
import { promptRecord } from './prompt-record-rules.ts';

export const listPrompts = tool({
  name: 'list_prompts',
  title: 'List prompts',
  access: 'prompts:read',
  description:
    'Lists prompts, last changed first: those of the workspace, or public ones. get_prompt_by_name shows the template of one.',
  input: z.strictObject({
    is_public: flagOr(false, 'Public ones in place of private ones.'),
    ...listInputs(20),
  }),
  output: {
    prompts: z.array(z.looseObject({ full_name: z.string() })),
    total_count: z.int(),
    ...listOutput,
  },
  run: async (given, { api, signal }) => {
    let total_count = 0;
    const { items, has_more } = await readSome(async (page) => {
      const query = { ...page, is_public: given.is_public ? ('true' as const) : ('false' as const) };
      const answer: Partial<Awaited<ReturnType<typeof api.listPrompts>>> | undefined = await api.listPrompts({
        query,
        signal,
      });
      if (!Array.isArray(answer?.repos)) throw unexpectedAnswer();
      total_count = answer.total ?? answer.repos.length;
      return answer.repos;
    }, given);
    return listAnswer({
      key: 'prompts',
      items: items.map(promptRecord),
      has_more,
      offset: given.offset,
      when_cut: 'get_prompt_by_name shows one whole.',
      more: () => ({ total_count }),
    });
  },
});
