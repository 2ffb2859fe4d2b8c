import { planned } from '../endpoint.ts';
import { platform, v1 } from './mounts.ts';

/** Prompts of the LangSmith API that aren't built yet: each answers 501 with a sentence. */
export const plannedPrompts = {
  getRepos: planned('GET', '/repos', 'Read repos', { ...v1, needs: 'prompts:read' }),
  postRepos: planned('POST', '/repos', 'Create or run repos', v1),
  deleteRepos: planned('DELETE', '/repos', 'Remove repos', v1),
  getReposTags: planned('GET', '/repos/tags', 'Read repos tags', { ...v1, needs: 'prompts:read' }),
  getReposByOwnerByRepo: planned('GET', '/repos/{owner}/{repo}', 'Read repos', {
    ...v1,
    needs: 'prompts:read',
  }),
  patchReposByOwnerByRepo: planned('PATCH', '/repos/{owner}/{repo}', 'Change repos', v1),
  deleteReposByOwnerByRepo: planned('DELETE', '/repos/{owner}/{repo}', 'Remove repos', v1),
  getReposByOwnerByRepoTags: planned('GET', '/repos/{owner}/{repo}/tags', 'Read repos tags', {
    ...v1,
    needs: 'prompts:read',
  }),
  postReposByOwnerByRepoTags: planned('POST', '/repos/{owner}/{repo}/tags', 'Create or run repos tags', v1),
  getReposByOwnerByRepoTagsByTagName: planned(
    'GET',
    '/repos/{owner}/{repo}/tags/{tag_name}',
    'Read repos tags',
    { ...v1, needs: 'prompts:read' },
  ),
  patchReposByOwnerByRepoTagsByTagName: planned(
    'PATCH',
    '/repos/{owner}/{repo}/tags/{tag_name}',
    'Change repos tags',
    v1,
  ),
  deleteReposByOwnerByRepoTagsByTagName: planned(
    'DELETE',
    '/repos/{owner}/{repo}/tags/{tag_name}',
    'Remove repos tags',
    v1,
  ),
  getCommitsByOwnerByRepo: planned('GET', '/commits/{owner}/{repo}', 'Read commits', {
    ...v1,
    needs: 'prompts:read',
  }),
  postCommitsByOwnerByRepo: planned('POST', '/commits/{owner}/{repo}', 'Create or run commits', v1),
  getCommitsByOwnerByRepoByCommit: planned('GET', '/commits/{owner}/{repo}/{commit}', 'Read commits', {
    ...v1,
    needs: 'prompts:read',
  }),
  postLikesByOwnerByRepo: planned('POST', '/likes/{owner}/{repo}', 'Create or run likes', v1),
  getPlatformHubReposByOwnerByRepoDirectories: planned(
    'GET',
    '/platform/hub/repos/{owner}/{repo}/directories',
    'Read platform hub repos directories',
    platform,
  ),
  deletePlatformHubReposByOwnerByRepoDirectories: planned(
    'DELETE',
    '/platform/hub/repos/{owner}/{repo}/directories',
    'Remove platform hub repos directories',
    platform,
  ),
  postPlatformHubReposByOwnerByRepoDirectoriesCommits: planned(
    'POST',
    '/platform/hub/repos/{owner}/{repo}/directories/commits',
    'Create or run platform hub repos directories commits',
    platform,
  ),
  getSettings: planned('GET', '/settings', 'Read settings', v1),
  postSettingsHandle: planned('POST', '/settings/handle', 'Create or run settings handle', v1),
};
