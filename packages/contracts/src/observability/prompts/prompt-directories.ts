import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { Timestamp, Uuid } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { platform } from '../mounts.ts';
import { promptParams } from './prompts.ts';

/** Agents and skills: repositories whose versions are folders of files and of links to other repositories. */

const link = {
  repo_handle: WellFormedText.min(1).max(200),
  owner: WellFormedText.max(200).nullish(),
  commit_id: Uuid.nullish(),
  commit_hash: WellFormedText.max(64).nullish(),
};
const FolderEntry = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('file'), content: WellFormedText }),
    z.object({ type: z.literal('agent'), ...link }),
    z.object({ type: z.literal('skill'), ...link }),
  ])
  .meta({ id: 'FolderEntry' });

/** A path below the folder, without `.` or `..`. */
const EntryPath = WellFormedText.max(1000).regex(
  /^(?!\.{1,2}(?:\/|$))[^/\\\0]+(?:\/(?!\.{1,2}(?:\/|$))[^/\\\0]+)*$/,
  'must be a relative path with slashes, without "." and ".."',
);

export const promptDirectories = {
  readPromptDirectory: endpoint({
    ...platform,
    method: 'GET',
    path: '/platform/hub/repos/{owner}/{repo}/directories',
    summary: 'Read a version of an agent or a skill: its files and links',
    access: 'prompts:read',
    errors: [404],
    params: promptParams,
    query: z.object({
      /** As for a version of a prompt; the latest unless said. */
      commit: WellFormedText.default('latest'),
      repo_type: z.enum(['agent', 'skill']).optional(),
    }),
    success: {
      status: 200,
      body: z.object({
        commit_id: z.string(),
        commit_hash: z.string(),
        files: z.record(z.string(), FolderEntry),
      }),
    },
    example: { query: { repo_type: 'agent' } },
  }),
  deletePromptDirectory: endpoint({
    ...platform,
    method: 'DELETE',
    path: '/platform/hub/repos/{owner}/{repo}/directories',
    summary: 'Delete an agent or a skill',
    access: 'prompts:admin',
    errors: [404],
    params: promptParams,
    success: { status: 204 },
  }),
  createPromptDirectoryCommit: endpoint({
    ...platform,
    method: 'POST',
    path: '/platform/hub/repos/{owner}/{repo}/directories/commits',
    summary:
      'Write a new version of an agent or a skill: entries replace those of their path, null removes one',
    access: 'prompts:write',
    errors: [404, 409],
    params: promptParams,
    max_body_bytes: 10_485_760,
    body: z.object({
      files: z.record(EntryPath, FolderEntry.nullable()),
      /** The version that it follows; 409 where that isn't the latest one. */
      parent_commit: WellFormedText.min(8).max(64).nullish(),
    }),
    success: {
      status: 200,
      body: z.object({
        commit: z.object({ id: z.string(), commit_hash: z.string(), created_at: Timestamp }),
      }),
    },
    example: { body: { files: { 'AGENTS.md': { type: 'file', content: '# Answers customers\n' } } } },
  }),
};
