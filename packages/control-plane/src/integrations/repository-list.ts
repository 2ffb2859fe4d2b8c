import type { GitRepository } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import { z } from 'zod';
import type { Context } from '../context/context.ts';
import { askHost, type HostRequest } from '../git-hosts/host-request.ts';
import type { IntegrationRow } from './integration-store.ts';
import { openCredential } from './source-credentials-work.ts';

/** Lists the repositories that an integration reaches, as its host answers. */

export interface RepositoryPage {
  readonly items: GitRepository[];
  readonly has_next: boolean;
}

const text = z.string();
const GithubLike = z
  .object({
    id: z.number(),
    name: text,
    owner: z.object({ login: text }),
    clone_url: text,
    default_branch: text.nullish(),
  })
  .transform(({ owner, clone_url: url, ...rest }) => ({ ...rest, owner: owner.login, url }));
const Gitlab = z
  .object({
    id: z.number(),
    path: text,
    namespace: z.object({ full_path: text }),
    http_url_to_repo: text,
    default_branch: text.nullish(),
  })
  .transform(({ path: name, namespace, http_url_to_repo: url, ...rest }) => ({
    ...rest,
    name,
    owner: namespace.full_path,
    url,
  }));

/** No host returns more at once by default. */
export const HOST_PAGE = 50;

const listings = {
  github: {
    path: (page: number, size: number) => `/user/repos?sort=full_name&per_page=${size}&page=${page}`,
    scheme: 'Bearer',
    schema: z.array(GithubLike),
  },
  github_app: {
    path: (page: number, size: number) => `/installation/repositories?per_page=${size}&page=${page}`,
    scheme: 'Bearer',
    schema: z.object({ repositories: z.array(GithubLike) }).transform(({ repositories }) => repositories),
  },
  gitlab: {
    path: (page: number, size: number) =>
      `/projects?membership=true&simple=true&order_by=id&sort=asc&per_page=${size}&page=${page}`,
    scheme: 'Bearer',
    schema: z.array(Gitlab),
  },
  gitea: {
    path: (page: number, size: number) => `/user/repos?limit=${size}&page=${page}`,
    scheme: 'token',
    schema: z.array(GithubLike),
  },
} as const;

/**
 * One page of the host's own. Throws `invalid` where the host has no such list, and everything that `askHost` throws.
 */
export async function listRepositories(
  context: Context,
  integration: IntegrationRow,
  { page, size }: { readonly page: number; readonly size: number },
): Promise<RepositoryPage> {
  const { kind, token } = await accessOf(context, integration);
  const { path, scheme, schema } = listings[kind];
  const { host } = integration;
  const answer = await askHost(context.outbound, {
    kind: kind === 'github_app' ? 'github' : kind,
    host,
    path: path(page, size),
    authorization: `${scheme} ${token}`,
  });
  const read = schema.safeParse(answer.body);
  if (!read.success)
    throw new Problem('unavailable', `${host} answered with something that is no list of repositories.`);
  const items = read.data.map(({ default_branch, ...one }) => ({
    host_integration_id: integration.id,
    ...one,
    default_branch: default_branch ?? '',
  }));
  return { items, has_next: answer.has_next };
}

async function accessOf(
  context: Context,
  integration: IntegrationRow,
): Promise<{ readonly kind: HostRequest['kind'] | 'github_app'; readonly token: string }> {
  const { kind } = integration;
  const credential = openCredential(context, integration);
  if (kind === 'generic' || credential === null || credential.kind === 'ssh_key')
    throw new Problem(
      'invalid',
      kind === 'generic'
        ? 'A generic integration has no API that lists repositories.'
        : 'Only an integration with a token, or with a GitHub App, can list the repositories of its host.',
    );
  if (credential.kind === 'token') return { kind, token: credential.token };
  return { kind: 'github_app', token: await context.app_tokens.tokenOf(integration, credential) };
}
