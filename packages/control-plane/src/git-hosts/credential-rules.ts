import type { SourceCredentials } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import type { GitAddress } from '@roadstead/contracts/git';

/** A credential as it is sealed. */
export type StoredCredential =
  | SourceCredentials
  | {
      readonly kind: 'github_app';
      readonly app_id: string;
      readonly installation_id: number;
      /** In PEM. */
      readonly private_key: string;
    };

/** Binds a sealed credential to its row. */
export const credentialRowOf = (id: string) => `integration:${id}:credential`;
export const webhookRowOf = (id: string) => `integration:${id}:webhook`;

interface HostCredential {
  readonly host: string;
  readonly credential_kind: StoredCredential['kind'] | null;
}

/**
 * Throws `invalid` where an integration can't be used for a repository. Its credential goes to its own host only:
 * a caller who may deploy must not learn it by naming a host of theirs.
 */
export function checkRemoteOf({ host, credential_kind }: HostCredential, remote: GitAddress): void {
  const [own, port = '443'] = host.split(':');
  const isItsHost = remote.host === own && (remote.transport === 'ssh' || String(remote.port) === port);
  if (!isItsHost)
    throw new Problem(
      'invalid',
      `The integration of source_config.integration_id is for ${host}, and source_config.repo_url is elsewhere.`,
    );
  const needed = transportOf(credential_kind);
  if (needed !== undefined && needed !== remote.transport)
    throw new Problem(
      'invalid',
      `The integration of source_config.integration_id holds ${credential_kind === 'ssh_key' ? 'an ssh key' : 'a token'}, so source_config.repo_url must be an ${needed} address.`,
    );
}

function transportOf(kind: StoredCredential['kind'] | null): GitAddress['transport'] | undefined {
  if (kind === null) return undefined;
  return kind === 'ssh_key' ? 'ssh' : 'https';
}
