import { Problem } from '@roadstead/kit';
import { z } from 'zod';
import type { Context } from '../context/context.ts';
import { findApp } from './integration-store.ts';
import { openCredential } from './source-credentials-work.ts';

const App = z.object({ html_url: z.url() });

/** The address where the workspace's GitHub App is installed in further accounts. Throws `invalid` without an app. */
export async function installUrl(context: Context, workspace_id: string): Promise<string> {
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
