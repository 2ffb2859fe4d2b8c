import type { PlaygroundMessage, PlaygroundParameters } from '@roadstead/contracts/observability';
import type { Call } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import type { PromptOptions } from '../prompts/prompt-work.ts';
import { promptAccess } from '../prompts/prompt-work.ts';
import { withoutModel } from '../prompts/commit-rules.ts';
import { countUse, findCommit, readManifest } from '../prompts/commit-store.ts';
import { readJson } from '../decoding/sent-json-codec.ts';
import { templateOf } from './manifest-rules.ts';
import { messageOf } from './message-rules.ts';
import type { Template, TextFormat } from './template.ts';

/** What is asked of a model, before variables are filled in. */
export interface AskedTemplate {
  readonly template: Template;
  readonly parameters: PlaygroundParameters;
  /** Where the prompt is from, as LangChain writes it. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

interface AskedFields {
  readonly messages?: readonly PlaygroundMessage[] | null | undefined;
  readonly prompt?: { readonly name: string; readonly commit: string } | null | undefined;
  readonly template_format: TextFormat;
  readonly parameters?: PlaygroundParameters | null | undefined;
}

/** @throws Problem where the caller sees no such prompt, or it holds no messages. */
export async function readTemplate(
  options: PromptOptions,
  call: Call,
  asked: AskedFields,
): Promise<AskedTemplate> {
  const { messages, prompt, template_format: format, parameters } = asked;
  if (prompt === null || prompt === undefined)
    return {
      template: (messages ?? []).map((one, index) =>
        messageOf(one, { format, at: ['body', 'messages', index] }),
      ),
      parameters: parameters ?? {},
      metadata: {},
    };
  const [owner, repo] = prompt.name.includes('/') ? prompt.name.split('/', 2) : ['-', prompt.name];
  const names = { owner: owner ?? '-', repo: repo ?? '' };
  const row = await promptAccess(options).read({ ...call, params: names });
  const commit = await findCommit(options.db, { prompt_id: row.id, ref: prompt.commit });
  if (commit === undefined) throw new Problem('not_found', 'The prompt has no such commit.');
  await countUse(options.db, { commit, column: 'num_downloads' });
  const manifest = await readJson(Buffer.from(await withoutModel(await readManifest(options.db, commit.id))));
  const { template, response_format } = templateOf(manifest?.value);
  return {
    template,
    parameters: { ...parameters, response_format: parameters?.response_format ?? response_format },
    metadata: { lc_hub_owner: names.owner, lc_hub_repo: names.repo, lc_hub_commit_hash: commit.hash },
  };
}
