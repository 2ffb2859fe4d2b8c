import { membersOf as slicesOf } from '@roadstead/json';
import { malformed, Problem, TimeSlice } from '@roadstead/kit';
import type { CommitRow, PromptRow } from './prompt-row.ts';
import { fullNameOf } from './prompt-rules.ts';

/**
 * A manifest is an object as LangChain's `dumps` writes it. Only the needed parts are looked at, and nothing is
 * changed.
 */

const text = (json: Uint8Array | undefined): string | undefined =>
  json === undefined ? undefined : Buffer.from(json).toString();
const valueOf = (json: Uint8Array | undefined): unknown =>
  json === undefined ? undefined : JSON.parse(Buffer.from(json).toString());
const membersOf = async (json: Uint8Array | undefined) =>
  json === undefined ? undefined : slicesOf(json, new TimeSlice());

export interface SentCommit {
  readonly manifest: string;
  readonly parent: string | undefined;
  readonly description: string | null;
}

/** @throws Problem naming the field that is wrong. */
export async function parseCommit(json: Uint8Array): Promise<SentCommit> {
  const members = await membersOf(json);
  const manifest = members?.get('manifest');
  if (manifest === undefined) throw malformed(['body', 'manifest'], 'is required', 'missing');
  const parent = valueOf(members?.get('parent_commit')) ?? undefined;
  const description = valueOf(members?.get('description')) ?? null;
  if (parent !== undefined && typeof parent !== 'string')
    throw malformed(['body', 'parent_commit'], 'must be a text', 'string_type');
  if (description !== null && (typeof description !== 'string' || description.length > 1000))
    throw malformed(['body', 'description'], 'must be a text of at most 1,000 characters', 'string_type');
  if (description !== null && (!description.isWellFormed() || description.includes('\0')))
    throw malformed(['body', 'description'], 'must not contain NUL or half of a surrogate pair');
  await requireLangChain(manifest);
  return {
    manifest: Buffer.from(manifest).toString(),
    parent: parent === '' ? undefined : parent,
    description,
  };
}

/** The modules whose objects LangChain writes. */
const ours = /^lang(?:chain|smith|graph)(?:_\w+)?$/;

async function requireLangChain(manifest: Uint8Array): Promise<void> {
  const id = valueOf((await membersOf(manifest))?.get('id'));
  if (!Array.isArray(id) || id.length === 0) throw new Problem('invalid', 'Manifest must have an id field');
  const [module] = id;
  if (id.length < 2 || typeof module !== 'string' || !ours.test(module))
    throw new Problem('invalid', `Manifest type ${nameOf(id.at(-1))} is not supported`);
}

/** Names from a manifest that answers repeat: short, and of letters. */
const nameOf = (part: unknown) =>
  String(part)
    .replaceAll(/[^\w.-]/g, '')
    .slice(0, 50);

const pairs = new Set(['RunnableSequence', 'PromptPlayground']);

/** The prompt alone from a prompt with its model: `kwargs.first`. Anything else is unchanged. */
export async function withoutModel(manifest: string): Promise<string> {
  return text((await partsOf(manifest))?.get('first')) ?? manifest;
}

const PLAYGROUND = 'PromptPlayground';
const SEQUENCE = '["langchain","schema","runnable","RunnableSequence"]';

/** Rewrites a playground's prompt with its model as a sequence, the only form that LangChain loads. */
export async function withModel(manifest: string): Promise<string> {
  const members = await membersOf(Buffer.from(manifest));
  const id = valueOf(members?.get('id'));
  if (members === undefined || !Array.isArray(id) || id.at(-1) !== PLAYGROUND) return manifest;
  const written = [...members].map(
    ([name, json]) => `${JSON.stringify(name)}:${name === 'id' ? SEQUENCE : Buffer.from(json).toString()}`,
  );
  return `{${written.join(',')}}`;
}

/** The model of a prompt that has one: the name of its class, and its arguments. */
export async function modelOf(manifest: string) {
  const last = await membersOf((await partsOf(manifest))?.get('last'));
  const kwargs = await membersOf(last?.get('kwargs'));
  const bound = (await membersOf(kwargs?.get('bound'))) ?? last;
  const id = valueOf(bound?.get('id'));
  const config = valueOf(bound?.get('kwargs'));
  return {
    model_provider: Array.isArray(id) ? String(id.at(-1)) : null,
    model_config:
      typeof config === 'object' && config !== null && !Array.isArray(config)
        ? (config as Record<string, unknown>)
        : null,
  };
}

async function partsOf(manifest: string): Promise<Map<string, Uint8Array> | undefined> {
  const members = await membersOf(Buffer.from(manifest));
  const id = valueOf(members?.get('id'));
  if (!Array.isArray(id) || !pairs.has(String(id.at(-1)))) return undefined;
  return membersOf(members?.get('kwargs'));
}

/** The answer without the manifest. */
export function commitAnswer(
  row: CommitRow,
  { prompt, manifest_sha }: { readonly prompt: PromptRow; readonly manifest_sha: number[] },
) {
  return {
    id: row.id,
    commit_hash: row.hash,
    created_at: row.created_at,
    updated_at: row.created_at,
    description: row.description,
    example_run_ids: [],
    full_name: fullNameOf(prompt),
    manifest_sha,
    num_downloads: row.num_downloads,
    num_views: row.num_views,
    parent_commit_hash: row.parent_hash,
    parent_id: row.parent_id,
    repo_id: row.prompt_id,
  };
}

/** `{…value, "{name}": {json}}` */
export function withJson(value: object, json: Readonly<Record<string, string>>): string {
  const more = Object.entries(json).map(([name, text]) => `,${JSON.stringify(name)}:${text}`);
  return `${JSON.stringify(value).slice(0, -1)}${more.join('')}}`;
}
