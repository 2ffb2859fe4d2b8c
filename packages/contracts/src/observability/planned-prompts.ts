import { planned } from '../endpoint.ts';
import { platform, v1 } from './mounts.ts';

/** Prompts of the LangSmith API that aren't built yet: each answers 501 with a sentence. */
export const plannedPrompts = {
  getRepos: planned('GET', '/repos', 'List prompts', { ...v1, needs: 'prompts:read' }),
  postRepos: planned('POST', '/repos', 'Create a prompt', v1),
  deleteRepos: planned('DELETE', '/repos', 'Delete several prompts', v1),
  getReposTags: planned('GET', '/repos/tags', 'List the tags that prompts have', {
    ...v1,
    needs: 'prompts:read',
  }),
  getReposByOwnerByRepo: planned('GET', '/repos/{owner}/{repo}', 'Read a prompt', {
    ...v1,
    needs: 'prompts:read',
  }),
  patchReposByOwnerByRepo: planned('PATCH', '/repos/{owner}/{repo}', 'Change a prompt', v1),
  deleteReposByOwnerByRepo: planned('DELETE', '/repos/{owner}/{repo}', 'Delete a prompt', v1),
  getReposByOwnerByRepoTags: planned(
    'GET',
    '/repos/{owner}/{repo}/tags',
    'List the named versions of a prompt',
    {
      ...v1,
      needs: 'prompts:read',
    },
  ),
  postReposByOwnerByRepoTags: planned('POST', '/repos/{owner}/{repo}/tags', 'Name a version of a prompt', v1),
  getReposByOwnerByRepoTagsByTagName: planned(
    'GET',
    '/repos/{owner}/{repo}/tags/{tag_name}',
    'Read a named version of a prompt',
    { ...v1, needs: 'prompts:read' },
  ),
  patchReposByOwnerByRepoTagsByTagName: planned(
    'PATCH',
    '/repos/{owner}/{repo}/tags/{tag_name}',
    'Let a name stand for another version of a prompt',
    v1,
  ),
  deleteReposByOwnerByRepoTagsByTagName: planned(
    'DELETE',
    '/repos/{owner}/{repo}/tags/{tag_name}',
    'Remove the name of a version of a prompt',
    v1,
  ),
  getCommitsByOwnerByRepo: planned('GET', '/commits/{owner}/{repo}', 'List the versions of a prompt', {
    ...v1,
    needs: 'prompts:read',
  }),
  postCommitsByOwnerByRepo: planned('POST', '/commits/{owner}/{repo}', 'Write a new version of a prompt', v1),
  getCommitsByOwnerByRepoByCommit: planned(
    'GET',
    '/commits/{owner}/{repo}/{commit}',
    'Read a version of a prompt',
    {
      ...v1,
      needs: 'prompts:read',
    },
  ),
  postLikesByOwnerByRepo: planned('POST', '/likes/{owner}/{repo}', 'Like a prompt, or no longer', v1),
  getPlatformHubReposByOwnerByRepoDirectories: planned(
    'GET',
    '/platform/hub/repos/{owner}/{repo}/directories',
    'List the folders of a prompt repository',
    platform,
  ),
  deletePlatformHubReposByOwnerByRepoDirectories: planned(
    'DELETE',
    '/platform/hub/repos/{owner}/{repo}/directories',
    'Delete a folder of a prompt repository',
    platform,
  ),
  postPlatformHubReposByOwnerByRepoDirectoriesCommits: planned(
    'POST',
    '/platform/hub/repos/{owner}/{repo}/directories/commits',
    'Write a new version of a folder of a prompt repository',
    platform,
  ),
  getSettings: planned('GET', '/settings', 'Read the workspace’s settings', v1),
  postSettingsHandle: planned(
    'POST',
    '/settings/handle',
    'Choose the name under which the workspace publishes prompts',
    v1,
  ),
};
