import { z } from 'zod';
import { Problem } from '@roadstead/kit';
import { linkTo } from '../../addresses/address-rules.ts';
import { requiredText } from '../input-rules.ts';
import { recordAnswer, requireRecord, membersOf } from '../list-answers.ts';
import { found } from '../tool-error.ts';
import { tool } from '../tool.ts';
import { promptRecord } from './prompt-record-rules.ts';
import { templateOf } from './template-rules.ts';

export const getPromptByName = tool({
  name: 'get_prompt_by_name',
  title: 'Read a prompt',
  access: 'prompts:read',
  description:
    'Reads one prompt: its details, and the template with the role of each message. Takes its newest version unless one is named.',
  input: z.strictObject({
    prompt_name: requiredText('"name" or "owner/name", with ":version" for a tag or commit.'),
  }),
  output: {
    prompt: z.looseObject({
      full_name: z.string(),
      commit_hash: z.string(),
      template: z.looseObject({ messages: z.array(z.looseObject({ role: z.string() })) }),
    }),
  },
  run: async ({ prompt_name }, { api, signal, link }) => {
    const { owner, repo, commit } = namesIn(prompt_name);
    const params = { owner, repo };
    const answer: Partial<Awaited<ReturnType<typeof api.readPrompt>>> | undefined = await found(
      api.readPrompt({ params, signal }),
      noSuchPrompt,
    );
    const prompt = requireRecord(answer?.repo);
    // A prompt without a version has only its details yet.
    const version =
      prompt.num_commits === 0
        ? {}
        : await found(
            // Marked as viewed, not as used.
            api.readPromptCommit({ params: { ...params, commit }, query: { is_view: 'true' }, signal }),
            noSuchVersion,
          );
    const whole = { ...promptRecord(prompt), ...versionRecord(requireRecord(version)) };
    return recordAnswer(whole, {
      key: 'prompt',
      onCut: () => link(linkTo('prompt', { prompt: prompt_name.trim() })),
    });
  },
});

function versionRecord(version: { readonly manifest?: unknown; readonly commit_hash?: string }) {
  const { manifest } = version;
  const template = templateOf(manifest);
  return {
    ...membersOf<string>(version, ['commit_hash', 'model_provider', 'model_config']),
    ...(template !== undefined ? { template } : manifest === undefined ? {} : { manifest }),
  };
}

/** `-` means the workspace itself. */
const NAMES = /^(?:([^/:\s]+)\/)?([^/:\s]+)(?::([^/:\s]+))?$/;

function namesIn(prompt_name: string) {
  const [, owner = '-', repo, commit = 'latest'] = NAMES.exec(prompt_name.trim()) ?? [];
  if (repo === undefined)
    throw new Problem('invalid', 'prompt_name is no name of a prompt.', {
      hint: 'It must be "name" or "owner/name", with ":version" after it for a tag or a commit.',
    });
  return { owner, repo, commit };
}

function noSuchPrompt(): Problem {
  return new Problem('not_found', 'There is no prompt with the name in prompt_name.', {
    hint: 'Call list_prompts to see the prompts there are; one of another owner is "owner/name".',
  });
}

function noSuchVersion(): Problem {
  return new Problem('not_found', 'The prompt has no version with the tag or commit in prompt_name.', {
    hint: 'Leave ":version" out for the newest one; list_prompts shows commit_tags.',
  });
}
