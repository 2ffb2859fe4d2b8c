import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { queryFlag, queryInt, Timestamp } from '../../values/query-values.ts';
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
};
