import type { GitInstallation, GitRepository, gitInstallations } from '@roadstead/contracts/control-plane';
import type { Call, Handlers } from '@roadstead/http';
import { Problem, pageOf } from '@roadstead/kit';
import type { Context } from '../context/context.ts';
import { type IntegrationRow, listIntegrations, readIntegration, findApp } from './integration-store.ts';
import { installationIdOf } from './integration-work.ts';
import { HOST_PAGE, listRepositories } from './repository-list.ts';
import { z } from 'zod';
import { openCredential } from './source-credentials-work.ts';

type InstallationHandlers = Handlers<typeof gitInstallations>;

const MAX_INSTALLATIONS = 1000;
const MAX_PAGES = 20;

/** Serves what clients of the original ask of integrations, each by several addresses. */
export function installationHandlers(context: Context): InstallationHandlers {
  const { db } = context;
  const install = async ({ workspace_id }: Call<undefined, undefined, undefined>) => {
    const rows = await listIntegrations(db, workspace_id, { after: undefined, limit: MAX_INSTALLATIONS });
    return rows.map(installationOf);
  };
  const repos = async ({ workspace_id, params }: Call<{ integration_id: string }, undefined, undefined>) =>
    listAll(context, await readIntegration(db, { workspace_id, id: params.integration_id }));
  return {
    listGitInstallations: install,
    listGithubInstallations: install,
    listForgeInstallations: install,
    listGitRepositories: repos,
    listGithubRepositories: repos,
    listForgeRepositories: repos,
    listInstallations: async ({ workspace_id, query }) => {
      const { items, next_cursor } = await pageOf(query, (span) => listIntegrations(db, workspace_id, span));
      return { items: items.map(installationOf), next_cursor };
    },
    listRepositories: async ({ workspace_id, params, query }) => {
      const integration = await readIntegration(db, { workspace_id, id: params.integration_id });
      const { page, size } = spanOf(query);
      const { items, has_next } = await listRepositories(context, integration, { page, size });
      return { items, next_cursor: has_next ? cursorOf(page + 1, size) : null };
    },
    createInstallationLink: async ({ workspace_id }) => ({
      install_url: await installUrl(context, workspace_id),
      oauth_reuse_url: null,
    }),
  };
}

function installationOf(row: IntegrationRow): GitInstallation {
  const { id, name, host, kind } = row;
  return { id, name, host, kind, installation_id: installationIdOf(row) };
}

async function listAll(context: Context, integration: IntegrationRow): Promise<GitRepository[]> {
  const all: GitRepository[] = [];
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const { items, has_next } = await listRepositories(context, integration, { page, size: HOST_PAGE });
    all.push(...items);
    if (!has_next) break;
  }
  return all;
}

/** The pages are the host's, so a cursor remembers their size. */
const cursorOf = (page: number, size: number) => Buffer.from(`${page}.${size}`).toString('base64url');

function spanOf({ page_size, cursor }: { page_size: number; cursor?: string | undefined }) {
  if (cursor === undefined) return { page: 1, size: Math.min(page_size, HOST_PAGE) };
  const [, page, size] = /^(\d{1,6})\.(\d{1,2})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (page === undefined || size === undefined)
    throw new Problem('invalid', 'The cursor is not one that this list gave.');
  return { page: Number(page), size: Number(size) };
}

const App = z.object({ html_url: z.url() });

/** The address where the workspace's GitHub App is installed in further accounts. Throws `invalid` without an app. */
async function installUrl(context: Context, workspace_id: string): Promise<string> {
  const integration = await findApp(context.db, workspace_id);
  const credential = integration === undefined ? null : openCredential(context, integration);
  if (integration === undefined || credential?.kind !== 'github_app')
    throw new Problem('invalid', 'This workspace has no GitHub App that could be installed.', {
      hint: 'POST /v2/integrations with a token, a deploy key, or an app of your own (credential.kind github_app).',
    });
  const { body } = await context.app_tokens.ask(integration.host, credential, '/app');
  const read = App.safeParse(body);
  if (!read.success)
    throw new Problem('unavailable', `${integration.host} answered without the app’s address.`);
  return `${read.data.html_url}/installations/new`;
}
