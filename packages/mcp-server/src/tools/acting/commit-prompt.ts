import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { ApiError } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit';
import { object, objects, requiredText, text, word } from '../input-rules.ts';
import { unexpectedAnswer } from '../tool-error.ts';
import { tool, type ToolContext } from '../tool.ts';
import { agreed, confirmInput } from './acting-tool.ts';
import { manifestOf, whatIsIn } from './prompt-manifest-rules.ts';

const MAX_TEMPLATE = 100_000;

export const commitPrompt = tool({
  name: 'commit_prompt',
  title: 'Commit a prompt',
  access: 'prompts:write',
  effect: 'acts',
  hints: { destructive: false, idempotent: true },
  description:
    'Writes a new version of a prompt of this workspace, and makes the prompt where there is none. What is the same as the latest version makes no new one. Give messages, template or manifest.',
  input: z.strictObject({
    prompt_name: requiredText('Name of the prompt.'),
    messages: objects(
      '{role, content}; roles: system, user, assistant, or placeholder with a variable as content.',
    ),
    template: text('A prompt of one text.', MAX_TEMPLATE),
    template_format: word(['f-string', 'mustache'], 'Variables are {name}, the default, or {{name}}.'),
    manifest: object('A LangChain object as dumps writes it.'),
    commit_description: text('What is new.'),
    description: text('Of the prompt, where it is made.'),
    ...confirmInput,
  }),
  output: {
    prompt_name: z.string(),
    commit_hash: z.string(),
    created: z.boolean().describe('The prompt is new.'),
    changed: z.boolean().describe('There is a new version.'),
  },
  run: async (given, context) => {
    const at = { owner: '-', repo: nameIn(given.prompt_name) };
    const manifest = manifestOf(given);
    const latest = await readLatest(at, context);
    const named = { prompt_name: at.repo };
    if (latest.hash !== undefined && isDeepStrictEqual(latest.manifest, manifest))
      return { ...named, commit_hash: latest.hash, created: false, changed: false };
    await agreed(sentenceOf(at.repo, latest, whatIsIn(given)), given, context);
    if (!latest.exists) await makePrompt(at.repo, given.description, context);
    const body = { manifest, parent_commit: latest.hash, description: given.commit_description };
    const { commit } = await context.api.createPromptCommit({
      params: at,
      raw: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
      signal: context.signal,
    });
    return { ...named, commit_hash: commit.commit_hash, created: !latest.exists, changed: true };
  },
});

function nameIn(given: string): string {
  const [, name] = /^(?:-\/)?([a-z][a-z0-9_-]*)$/.exec(given.trim()) ?? [];
  if (name !== undefined) return name;
  throw new Problem(
    'invalid',
    'prompt_name must be the name of a prompt of this workspace: lowercase letters, digits, - and _, a letter first.',
    { hint: 'Leave out the owner and the commit; list_prompts shows the prompts there are.' },
  );
}

interface Latest {
  readonly exists: boolean;
  readonly hash?: string;
  readonly manifest?: unknown;
}

async function readLatest(
  params: { readonly owner: string; readonly repo: string },
  { api, signal }: ToolContext,
): Promise<Latest> {
  const prompt: { repo?: { last_commit_hash?: string | null } } | undefined = await unlessMissing(
    api.readPrompt({ params, signal }),
  );
  if (prompt === undefined) return { exists: false };
  if (typeof prompt.repo !== 'object') throw unexpectedAnswer();
  if ((prompt.repo.last_commit_hash ?? null) === null) return { exists: true };
  const query = { include_model: 'true', is_view: 'true' } as const;
  const commit = await unlessMissing(
    api.readPromptCommit({ params: { ...params, commit: 'latest' }, query, signal }),
  );
  return commit === undefined
    ? { exists: true }
    : { exists: true, hash: commit.commit_hash, manifest: commit.manifest };
}

async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  return call.catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  });
}

function sentenceOf(name: string, { exists, hash }: Latest, what: string): string {
  if (!exists) return `Make the private prompt ${name} and commit its first version, ${what}?`;
  const after = hash === undefined ? '' : ` after ${hash.slice(0, 8)}`;
  return `Commit a new version of the prompt ${name}${after}, ${what}?`;
}

async function makePrompt(
  repo_handle: string,
  description: string | undefined,
  { api, signal }: ToolContext,
): Promise<void> {
  const body = { repo_handle, is_public: false, ...(description === undefined ? {} : { description }) };
  await api.createPrompt({ body, signal });
}
