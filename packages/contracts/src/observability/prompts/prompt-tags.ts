import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { queryInt, Timestamp, Uuid } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { v1 } from '../mounts.ts';
import { promptParams } from './prompts.ts';

const text = z.string().nullable();

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

export const promptTags = {
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
