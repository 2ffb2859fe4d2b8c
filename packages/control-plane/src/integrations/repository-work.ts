import type { SourceConfig } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import type { Transaction } from '@roadstead/postgres';
import { checkRemoteOf } from '../git-hosts/credential-rules.ts';
import { holdIntegration } from './integration-store.ts';
import { readRemote, repositoryOf } from '../git-hosts/remote-rules.ts';

/**
 * The repository of a new deployment, in the form in which addresses are compared; null without one. Throws `invalid`
 * for an integration that the workspace doesn't have, or that is for another host.
 */
export async function readRepository(
  tx: Transaction,
  workspace_id: string,
  { repo_url, integration_id }: Pick<SourceConfig, 'repo_url' | 'integration_id'>,
): Promise<string | null> {
  if (repo_url === null || repo_url === undefined) return null;
  const remote = readRemote(repo_url);
  if (integration_id !== null && integration_id !== undefined) {
    const integration = await holdIntegration(tx, { workspace_id, id: integration_id });
    if (integration === undefined)
      throw new Problem('invalid', 'source_config.integration_id names no integration of this workspace.', {
        hint: 'GET /v2/integrations lists them.',
      });
    checkRemoteOf(integration, remote);
  }
  return repositoryOf(remote);
}
