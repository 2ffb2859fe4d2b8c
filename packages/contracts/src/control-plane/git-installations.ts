import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { queryInt, Uuid } from '../values/query-values.ts';
import { WellFormedText } from '../values/well-formed-text.ts';
import { mounts } from './deployments.ts';
import { IntegrationKind } from './integrations.ts';

/** Integrations and their repositories in the forms that clients of the original read. */

export const GitInstallation = z
  .object({
    id: Uuid,
    name: WellFormedText,
    host: WellFormedText,
    kind: IntegrationKind,
    installation_id: z.number(),
  })
  .meta({ id: 'GitInstallation' });
export type GitInstallation = z.output<typeof GitInstallation>;

export const GitRepository = z
  .object({
    host_integration_id: Uuid,
    id: z.number(),
    name: WellFormedText,
    owner: WellFormedText,
    url: WellFormedText,
    default_branch: WellFormedText,
  })
  .meta({ id: 'GitRepository' });
export type GitRepository = z.output<typeof GitRepository>;

const params = z.object({ integration_id: Uuid });
const read = { method: 'GET', mounts, access: 'deployments:read' } as const;
const page = z.object({
  page_size: queryInt({ min: 1, max: 100, fallback: 20 }),
  cursor: WellFormedText.max(200).optional(),
});

const install = { ...read, success: { status: 200, body: z.array(GitInstallation) } } as const;
const repos = { ...read, params, success: { status: 200, body: z.array(GitRepository) } } as const;

export const gitInstallations = {
  listGitInstallations: endpoint({
    ...install,
    path: '/v1/integrations/git/install',
    summary: 'List the git integrations of the workspace',
  }),
  listGithubInstallations: endpoint({
    ...install,
    path: '/v1/integrations/github/install',
    summary: 'List the git integrations of the workspace, by the older address',
  }),
  listForgeInstallations: endpoint({
    ...install,
    path: '/v1/integrations/forge/github/install',
    summary: 'List the git integrations of the workspace, by the address of another application',
  }),
  listGitRepositories: endpoint({
    ...repos,
    path: '/v1/integrations/git/{integration_id}/repos',
    summary: 'List the repositories that a git integration reaches, as its host answers; 1,000 at most',
  }),
  listGithubRepositories: endpoint({
    ...repos,
    path: '/v1/integrations/github/{integration_id}/repos',
    summary: 'List the repositories that a git integration reaches, by the older address',
  }),
  listForgeRepositories: endpoint({
    ...repos,
    path: '/v1/integrations/forge/github/{integration_id}/repos',
    summary: 'List the repositories that a git integration reaches, by the address of another application',
  }),
  listInstallations: endpoint({
    ...read,
    path: '/v2/integrations/github/installations',
    summary: 'List the git integrations of the workspace, in the cursor-paged form',
    query: page,
    success: {
      status: 200,
      body: z.object({ items: z.array(GitInstallation), next_cursor: WellFormedText.nullable() }),
    },
    example: { query: { page_size: '50' } },
  }),
  listRepositories: endpoint({
    ...read,
    path: '/v2/integrations/github/installations/{integration_id}/repositories',
    summary: 'List the repositories that a git integration reaches, in the cursor-paged form',
    params,
    query: page,
    success: {
      status: 200,
      body: z.object({ items: z.array(GitRepository), next_cursor: WellFormedText.nullable() }),
    },
    example: { query: { page_size: '50' } },
  }),
  createInstallationLink: endpoint({
    method: 'POST',
    path: '/v2/integrations/github/installation-link',
    summary: 'Where the GitHub App of the workspace is installed in further accounts',
    mounts,
    access: 'deployments:admin',
    success: {
      status: 200,
      body: z.object({ install_url: WellFormedText, oauth_reuse_url: WellFormedText.nullable() }),
    },
  }),
};
