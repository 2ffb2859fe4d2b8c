import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { queryFlag, queryInt, Timestamp, Uuid } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { v1 } from '../mounts.ts';
import { promptParams } from './prompts.ts';

/** Versions of prompts and their names; the wire calls them commits and tags. A manifest comes back as it was sent. */

const text = z.string().nullable();

const PromptCommit = z
  .object({
    id: z.string(),
    commit_hash: z.string(),
    created_at: Timestamp,
    updated_at: Timestamp,
    description: text,
    example_run_ids: z.array(z.string()),
    full_name: z.string(),
    manifest: z.unknown(),
    manifest_sha: z.array(z.number()),
    num_downloads: z.number(),
    num_views: z.number(),
    parent_commit_hash: text,
    parent_id: text,
    repo_id: z.string(),
  })
  .meta({ id: 'PromptCommit' });

const PulledCommit = z
  .object({
    commit_hash: z.string(),
    description: text,
    examples: z.array(z.unknown()),
    is_draft: z.boolean(),
    manifest: z.unknown(),
    model_config: z.record(z.string(), z.unknown()).nullable(),
    model_provider: text,
  })
  .meta({ id: 'PulledPromptCommit' });

const PromptTag = z
  .object({
    id: z.string(),
    repo_id: z.string(),
    commit_id: z.string(),
    commit_hash: z.string(),
    tag_name: z.string(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'PromptTag' });

const PromptTagMove = z
  .object({
    id: z.string(),
    repo_id: z.string(),
    tag_name: z.string(),
    from_commit_id: text,
    from_commit_hash: text,
    to_commit_id: text,
    to_commit_hash: text,
    performed_by: text,
    performed_by_name: text,
    created_at: Timestamp,
  })
  .meta({ id: 'PromptTagMove' });

const TagName = WellFormedText.regex(
  /^(?!latest$)[\w.-]{1,100}$/,
  'must have letters, digits, dots, hyphens and underscores only, and not be "latest"',
);
const tagParams = promptParams.extend({ tag_name: WellFormedText });
const manifest = {
  lc: 1,
  type: 'constructor',
  id: ['langchain', 'prompts', 'prompt', 'PromptTemplate'],
  kwargs: {},
};

export const promptCommits = {
  listPromptCommits: endpoint({
    ...v1,
    method: 'GET',
    path: '/commits/{owner}/{repo}',
    summary: 'List the versions of a prompt, newest first',
    access: 'prompts:read',
    errors: [404],
    params: promptParams,
    query: z.object({
      limit: queryInt({ min: 1, max: 100, fallback: 20 }),
      offset: queryInt({ fallback: 0 }),
      /** Only the version of this name. */
      tag: WellFormedText.optional(),
      include_stats: queryFlag.default(true),
    }),
    success: { status: 200, body: z.object({ commits: z.array(PromptCommit), total: z.number() }) },
    example: { query: { limit: '20' } },
  }),
  createPromptCommit: endpoint({
    ...v1,
    method: 'POST',
    path: '/commits/{owner}/{repo}',
    summary:
      'Write a new version of a prompt: `{manifest, parent_commit, description}`; 409 where it changes nothing',
    access: 'prompts:write',
    errors: [404, 409],
    params: promptParams,
    raw: true,
    max_body_bytes: 10_485_760,
    success: { status: 201, body: z.object({ commit: PromptCommit }) },
    example: { body: { manifest } },
  }),
  readPromptCommit: endpoint({
    ...v1,
    method: 'GET',
    path: '/commits/{owner}/{repo}/{commit}',
    summary: 'Read a version of a prompt by its hash or the beginning of it, by a name, or `latest`',
    access: 'prompts:read',
    errors: [404],
    params: promptParams.extend({ commit: WellFormedText }),
    query: z.object({
      /** Whether to include the model of a prompt that has one. */
      include_model: queryFlag.default(false),
      /** Counts as a view, not as a download. */
      is_view: queryFlag.default(false),
    }),
    success: { status: 200, body: PulledCommit },
    example: { query: { include_model: 'true' } },
  }),
  listPromptTags: endpoint({
    ...v1,
    method: 'GET',
    path: '/repos/{owner}/{repo}/tags',
    summary: 'List the named versions of a prompt',
    access: 'prompts:read',
    errors: [404],
    params: promptParams,
    success: { status: 200, body: z.array(PromptTag) },
  }),
  createPromptTag: endpoint({
    ...v1,
    method: 'POST',
    path: '/repos/{owner}/{repo}/tags',
    summary: 'Name a version of a prompt; a name of another version moves',
    access: 'prompts:write',
    errors: [404],
    params: promptParams,
    body: z.object({ tag_name: TagName, commit_id: Uuid }),
    success: { status: 200, body: PromptTag },
    example: { body: { tag_name: 'production', commit_id: '0199d3a0-0000-7000-8000-000000000004' } },
  }),
  readPromptTag: endpoint({
    ...v1,
    method: 'GET',
    path: '/repos/{owner}/{repo}/tags/{tag_name}',
    summary: 'Read a named version of a prompt',
    access: 'prompts:read',
    errors: [404],
    params: tagParams,
    success: { status: 200, body: PromptTag },
  }),
  patchPromptTag: endpoint({
    ...v1,
    method: 'PATCH',
    path: '/repos/{owner}/{repo}/tags/{tag_name}',
    summary: 'Let a name stand for another version of a prompt',
    access: 'prompts:write',
    errors: [404],
    params: tagParams,
    body: z.object({ commit_id: Uuid }),
    success: { status: 200, body: PromptTag },
    example: { body: { commit_id: '0199d3a0-0000-7000-8000-000000000004' } },
  }),
  deletePromptTag: endpoint({
    ...v1,
    method: 'DELETE',
    path: '/repos/{owner}/{repo}/tags/{tag_name}',
    summary: 'Remove the name of a version of a prompt',
    access: 'prompts:write',
    errors: [404],
    params: tagParams,
    success: { status: 200, body: z.object({ message: z.string() }) },
  }),
  listPromptTagMoves: endpoint({
    ...v1,
    method: 'GET',
    path: '/repos/{owner}/{repo}/tags/{tag_name}/history',
    summary: 'List for which versions a name stood, newest first',
    access: 'prompts:read',
    errors: [404],
    params: tagParams,
    query: z.object({
      limit: queryInt({ min: 1, max: 100, fallback: 50 }),
      offset: queryInt({ fallback: 0 }),
    }),
    success: { status: 200, body: z.object({ total: z.number(), transitions: z.array(PromptTagMove) }) },
    example: { query: { limit: '50' } },
  }),
};
