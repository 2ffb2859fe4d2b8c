import { planned } from '../endpoint.ts';
import { platform, v1 } from './mounts.ts';

/** Prompts of the LangSmith API that aren't built yet: each answers 501 with a sentence. */
const readPrompts = { ...v1, access: 'prompts:read' } as const;
const writePrompts = { ...v1, access: 'prompts:write' } as const;
const adminPrompts = { ...v1, access: 'prompts:admin' } as const;
const readPromptsPlatform = { ...platform, access: 'prompts:read' } as const;
const adminPromptsPlatform = { ...platform, access: 'prompts:admin' } as const;
const writePromptsPlatform = { ...platform, access: 'prompts:write' } as const;
const readWorkspace = { ...v1, access: 'workspaces:read' } as const;
const adminWorkspace = { ...v1, access: 'workspaces:admin' } as const;

export const plannedPrompts = {
  listPrompts: planned('GET /repos', { ...readPrompts, summary: 'List prompts' }),
  createPrompt: planned('POST /repos', { ...writePrompts, summary: 'Create a prompt' }),
  deletePrompts: planned('DELETE /repos', { ...adminPrompts, summary: 'Delete several prompts' }),
  listPromptTopics: planned('GET /repos/tags', {
    ...readPrompts,
    summary: 'List the tags that prompts have',
  }),
  readPrompt: planned('GET /repos/{owner}/{repo}', { ...readPrompts, summary: 'Read a prompt' }),
  patchPrompt: planned('PATCH /repos/{owner}/{repo}', { ...writePrompts, summary: 'Change a prompt' }),
  deletePrompt: planned('DELETE /repos/{owner}/{repo}', { ...adminPrompts, summary: 'Delete a prompt' }),
  listPromptTags: planned('GET /repos/{owner}/{repo}/tags', {
    ...readPrompts,
    summary: 'List the named versions of a prompt',
  }),
  createPromptTag: planned('POST /repos/{owner}/{repo}/tags', {
    ...writePrompts,
    summary: 'Name a version of a prompt',
  }),
  readPromptTag: planned('GET /repos/{owner}/{repo}/tags/{tag_name}', {
    ...readPrompts,
    summary: 'Read a named version of a prompt',
  }),
  patchPromptTag: planned('PATCH /repos/{owner}/{repo}/tags/{tag_name}', {
    ...writePrompts,
    summary: 'Let a name stand for another version of a prompt',
  }),
  deletePromptTag: planned('DELETE /repos/{owner}/{repo}/tags/{tag_name}', {
    ...writePrompts,
    summary: 'Remove the name of a version of a prompt',
  }),
  listPromptCommits: planned('GET /commits/{owner}/{repo}', {
    ...readPrompts,
    summary: 'List the versions of a prompt',
  }),
  createPromptCommit: planned('POST /commits/{owner}/{repo}', {
    ...writePrompts,
    summary: 'Write a new version of a prompt',
  }),
  readPromptCommit: planned('GET /commits/{owner}/{repo}/{commit}', {
    ...readPrompts,
    summary: 'Read a version of a prompt',
  }),
  likePrompt: planned('POST /likes/{owner}/{repo}', {
    ...writePrompts,
    summary: 'Like a prompt, or no longer',
  }),
  listPromptDirectories: planned('GET /platform/hub/repos/{owner}/{repo}/directories', {
    ...readPromptsPlatform,
    summary: 'List the folders of a prompt repository',
  }),
  deletePromptDirectory: planned('DELETE /platform/hub/repos/{owner}/{repo}/directories', {
    ...adminPromptsPlatform,
    summary: 'Delete a folder of a prompt repository',
  }),
  createPromptDirectoryCommit: planned('POST /platform/hub/repos/{owner}/{repo}/directories/commits', {
    ...writePromptsPlatform,
    summary: 'Write a new version of a folder of a prompt repository',
  }),
  readWorkspaceSettings: planned('GET /settings', {
    ...readWorkspace,
    summary: 'Read the workspace’s settings',
  }),
  setWorkspaceHandle: planned('POST /settings/handle', {
    ...adminWorkspace,
    summary: 'Choose the name under which the workspace publishes prompts',
  }),
};
