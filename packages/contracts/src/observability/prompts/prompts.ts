import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { filterBy, queryFlag, queryInt, queryList, Timestamp, Uuid } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { v1 } from '../mounts.ts';

/** Prompts and other things that are kept in versions; the wire calls them repositories. */

const PromptKind = z.enum(['prompt', 'file', 'agent', 'skill']);
const Source = z.enum(['internal', 'external']);

/** A handle by the SDKs' rules: a part of an address must be easy to type. */
const PromptHandle = WellFormedText.max(200).regex(
  /^[a-z][a-z0-9_-]*$/,
  'must begin with a lowercase letter, and have lowercase letters, digits, hyphens and underscores only',
);
const Words = z.array(WellFormedText.min(1).max(200)).max(100);
const text = z.string().nullable();

const Prompt = z
  .object({
    repo_handle: z.string(),
    description: text,
    readme: text,
    id: z.string(),
    tenant_id: z.string(),
    created_at: Timestamp,
    updated_at: Timestamp,
    is_public: z.boolean(),
    is_archived: z.boolean(),
    restricted_mode: z.boolean(),
    tags: z.array(z.string()),
    original_repo_id: text,
    upstream_repo_id: text,
    /** The names of its versions. */
    commit_tags: z.array(z.string()),
    repo_type: PromptKind,
    source: Source.nullable(),
    owner: text,
    full_name: z.string(),
    num_likes: z.number(),
    num_downloads: z.number(),
    num_views: z.number(),
    liked_by_auth_user: z.boolean().nullable(),
    last_commit_hash: text,
    num_commits: z.number(),
    created_by: text,
    original_repo_full_name: text,
    upstream_repo_full_name: text,
    latest_commit_manifest: z
      .object({ commit_hash: z.string(), manifest: z.unknown(), examples: z.array(z.unknown()) })
      .nullable(),
  })
  .meta({ id: 'Prompt' });

export type Prompt = z.output<typeof Prompt>;

const OnePrompt = z.object({ repo: Prompt });

export const promptParams = z.object({ owner: WellFormedText, repo: WellFormedText });

const fields = {
  description: WellFormedText.max(10_000).nullish(),
  readme: WellFormedText.max(1_000_000).nullish(),
  tags: Words.nullish(),
};

const filters = {
  limit: queryInt({ min: 1, max: 100, fallback: 20 }),
  offset: queryInt({ fallback: 0 }),
  tenant_handle: WellFormedText.optional(),
  tenant_id: Uuid.optional(),
  query: WellFormedText.optional(),
  /** Whether `query` must be a prefix of the name. */
  match_prefix: queryFlag.optional(),
  has_commits: queryFlag.optional(),
  tags: filterBy(queryList(WellFormedText)),
  is_archived: z.enum(['true', 'allow', 'false']).default('false'),
  /** Absent: the prompts of the workspace. `true`: the public ones of every workspace. */
  is_public: queryFlag.optional(),
  upstream_repo_owner: WellFormedText.optional(),
  upstream_repo_handle: WellFormedText.optional(),
  repo_type: PromptKind.optional(),
  repo_types: filterBy(queryList(PromptKind)),
  source: Source.optional(),
};

export const prompts = {
  listPrompts: endpoint({
    ...v1,
    method: 'GET',
    path: '/repos',
    summary: 'List prompts',
    access: 'prompts:read',
    query: z.object({
      ...filters,
      with_latest_manifest: queryFlag.default(false),
      sort_field: z
        .enum(['num_likes', 'num_downloads', 'num_views', 'updated_at', 'relevance'])
        .default('updated_at'),
      sort_direction: z.enum(['asc', 'desc']).default('desc'),
    }),
    success: { status: 200, body: z.object({ repos: z.array(Prompt), total: z.number() }) },
    example: { query: { query: 'support', is_public: 'false', limit: '20' } },
  }),
  createPrompt: endpoint({
    ...v1,
    method: 'POST',
    path: '/repos',
    summary: 'Create a prompt, without a version yet',
    access: 'prompts:write',
    errors: [409],
    body: z.object({
      ...fields,
      repo_handle: PromptHandle,
      is_public: z.boolean(),
      repo_type: PromptKind.default('prompt'),
      source: Source.nullish(),
      restricted_mode: z.boolean().nullish(),
    }),
    success: { status: 200, body: OnePrompt },
    example: {
      body: {
        repo_handle: 'support-answer',
        is_public: false,
        description: 'Answers customers',
        tags: ['support'],
      },
    },
  }),
  deletePrompts: endpoint({
    ...v1,
    method: 'DELETE',
    path: '/repos',
    summary: 'Delete several prompts; ids of no prompt of the workspace are passed over',
    access: 'prompts:admin',
    query: z.object({ repo_ids: queryList(Uuid).refine((ids) => ids.length <= 100, 'at most 100') }),
    success: { status: 200, body: z.object({ message: z.string() }) },
    example: { query: { repo_ids: ['0199d3a0-0000-7000-8000-000000000001'] } },
  }),
  listPromptTopics: endpoint({
    ...v1,
    method: 'GET',
    path: '/repos/tags',
    summary: 'List the tags that prompts have, each with how many have it',
    access: 'prompts:read',
    query: z.object(filters),
    success: {
      status: 200,
      body: z.object({ tags: z.array(z.object({ tag: z.string(), count: z.number() })) }),
    },
    example: { query: { limit: '20' } },
  }),
  readPrompt: endpoint({
    ...v1,
    method: 'GET',
    path: '/repos/{owner}/{repo}',
    summary: 'Read a prompt; the owner `-` is the workspace itself',
    access: 'prompts:read',
    errors: [404],
    params: promptParams,
    success: { status: 200, body: OnePrompt },
  }),
  patchPrompt: endpoint({
    ...v1,
    method: 'PATCH',
    path: '/repos/{owner}/{repo}',
    summary: 'Change a prompt; what is absent or null stays',
    access: 'prompts:write',
    errors: [404],
    params: promptParams,
    body: z.object({
      ...fields,
      is_public: z.boolean().nullish(),
      is_archived: z.boolean().nullish(),
      restricted_mode: z.boolean().nullish(),
    }),
    success: { status: 200, body: OnePrompt },
    example: { body: { description: 'Answers customers, and colleagues' } },
  }),
  deletePrompt: endpoint({
    ...v1,
    method: 'DELETE',
    path: '/repos/{owner}/{repo}',
    summary: 'Delete a prompt and its versions',
    access: 'prompts:admin',
    errors: [404],
    params: promptParams,
    success: { status: 200, body: z.object({ message: z.string() }) },
  }),
  forkPrompt: endpoint({
    ...v1,
    method: 'POST',
    path: '/repos/{owner}/{repo}/fork',
    summary: 'Copy a prompt and its versions to the workspace',
    access: 'prompts:write',
    errors: [404, 409],
    params: promptParams,
    body: z.object({ ...fields, repo_handle: PromptHandle, is_public: z.boolean().nullish() }),
    success: { status: 200, body: OnePrompt },
    example: { body: { repo_handle: 'our-support-answer' } },
  }),
  likePrompt: endpoint({
    ...v1,
    method: 'POST',
    path: '/likes/{owner}/{repo}',
    summary: 'Like a prompt, or no longer',
    access: 'prompts:write',
    errors: [404],
    params: promptParams,
    body: z.object({ like: z.boolean() }),
    success: { status: 200, body: z.object({ likes: z.number() }) },
    example: { body: { like: true } },
  }),
};
