import { planned } from '../endpoint.ts';
import { mounts } from './deployments.ts';

/** Endpoints of git integrations that aren’t built yet. */
const admin = { mounts, access: 'deployments:admin' } as const;
const read = { mounts, access: 'deployments:read' } as const;

export const plannedGit = {
  listGitInstallations: planned('GET /v1/integrations/git/install', {
    ...read,
    summary: 'List the git integrations of the workspace',
  }),
  listGithubInstallations: planned('GET /v1/integrations/github/install', {
    ...read,
    summary: 'List the git integrations of the workspace, by the older address',
  }),
  listGitRepositories: planned('GET /v1/integrations/git/{integration_id}/repos', {
    ...read,
    summary: 'List the repositories of a git integration',
  }),
  listGithubRepositories: planned('GET /v1/integrations/github/{integration_id}/repos', {
    ...read,
    summary: 'List the repositories of a git integration, by the older address',
  }),
  listInstallations: planned('GET /v2/integrations/github/installations', {
    ...read,
    summary: 'List the git installations, in the cursor-paged form',
  }),
  listRepositories: planned('GET /v2/integrations/github/installations/{integration_id}/repositories', {
    ...read,
    summary: 'List the repositories of a git installation',
  }),
  createInstallationLink: planned('POST /v2/integrations/github/installation-link', {
    ...admin,
    summary: 'Create a link that installs the git integration',
  }),
};
