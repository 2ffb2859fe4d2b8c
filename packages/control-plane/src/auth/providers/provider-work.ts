import type {
  OAuthProvider,
  OAuthProviderCreateRequest,
  OAuthProviderUpdateRequest,
} from '@roadstead/contracts/control-plane';
import { Problem, uuidv7 } from '@roadstead/kit';
import type { Transaction } from '@roadstead/postgres';
import { insertEvent } from '../../events/event-store.ts';
import type { WorkspaceActor } from '../../records/keys.ts';
import type { AuthContext } from '../auth-context.ts';
import { checkAddress } from '../client/provider-rules.ts';
import type { ProviderKey } from '../keys.ts';
import {
  deleteProvider,
  insertProvider,
  type NewProvider,
  type ProviderRow,
  readProvider,
  sealClientSecret,
  updateProvider,
} from './provider-store.ts';

/** Registers, changes and removes providers. */

/** @throws Problem `conflict` when the name is taken */
export async function createProvider(
  context: AuthContext,
  { request, ...by }: WorkspaceActor & { readonly request: OAuthProviderCreateRequest },
): Promise<ProviderRow> {
  checkAddresses(context, request);
  const { client_secret = null, token_endpoint_auth_method } = request;
  if (token_endpoint_auth_method !== 'none' && client_secret === null)
    throw new Problem('invalid', 'client_secret is missing.', {
      hint: 'A client without one is registered with token_endpoint_auth_method none.',
    });
  if (token_endpoint_auth_method === 'none' && !request.uses_pkce)
    throw new Problem('invalid', 'A client without a secret needs PKCE: send uses_pkce true.');
  return storeProvider(context, {
    ...by,
    provider: {
      ...request,
      client_secret,
      revocation_url: request.revocation_url ?? null,
      provider_type: request.provider_type ?? null,
      code_challenge_method: 'S256',
      issuer: null,
      resource: null,
      mcp_server_url: null,
      is_dynamic_client: false,
    },
  });
}

/** @throws Problem `conflict` when the name is taken */
export async function storeProvider(
  { db, secret_box }: AuthContext,
  {
    workspace_id,
    actor,
    provider,
  }: WorkspaceActor & { readonly provider: Omit<NewProvider, 'id' | 'workspace_id'> },
): Promise<ProviderRow> {
  const id = uuidv7();
  const { client_secret } = provider;
  const sealed = client_secret === null ? null : sealClientSecret(secret_box)(client_secret, id);
  return db.transaction(async (tx) => {
    const row = await insertProvider(tx, { ...provider, id, workspace_id, client_secret: sealed });
    if (row === undefined) throw nameTaken(provider.provider_id);
    await noteChange(tx, { row, actor, verb: 'created' });
    return row;
  });
}

export const nameTaken = (provider_id: string) =>
  new Problem('conflict', `There is an OAuth provider ${provider_id} already.`);

export async function changeProvider(
  context: AuthContext,
  {
    provider_id,
    request,
    workspace_id,
    actor,
  }: WorkspaceActor & ProviderKey & { readonly request: OAuthProviderUpdateRequest },
): Promise<ProviderRow> {
  checkAddresses(context, request);
  const change = Object.fromEntries(Object.entries(request).filter(([, value]) => value !== null));
  return context.db.transaction(async (tx) => {
    const before = await readProvider(tx, { workspace_id, provider_id });
    const { id, token_endpoint_auth_method, uses_pkce } = before;
    refuseSecretElsewhere(before, request);
    if (token_endpoint_auth_method === 'none' && !(request.uses_pkce ?? uses_pkce))
      throw new Problem('invalid', 'A client without a secret needs PKCE: uses_pkce stays true.');
    const { client_secret } = request;
    const row = await updateProvider(tx, id, {
      ...change,
      ...(typeof client_secret === 'string'
        ? { client_secret: sealClientSecret(context.secret_box)(client_secret, id) }
        : {}),
    });
    await noteChange(tx, { row, actor, verb: 'changed' });
    return row;
  });
}

/**
 * The secret goes only to the hosts that it was entered for: a caller who may name another host must not learn it that
 * way.
 */
function refuseSecretElsewhere(before: ProviderRow, request: OAuthProviderUpdateRequest): void {
  if (before.client_secret === null || typeof request.client_secret === 'string') return;
  const known = [before.token_url, before.revocation_url].map(
    (address) => address && new URL(address).origin,
  );
  for (const field of ['token_url', 'revocation_url'] as const) {
    const address = request[field];
    if (typeof address === 'string' && !known.includes(new URL(address).origin))
      throw new Problem('invalid', `client_secret must be sent again where ${field} moves to another host.`);
  }
}

export async function removeProvider(
  { db }: AuthContext,
  { actor, ...named }: WorkspaceActor & ProviderKey,
): Promise<void> {
  await db.transaction(async (tx) => {
    const row = await deleteProvider(tx, named);
    await noteChange(tx, { row, actor, verb: 'deleted' });
  });
}

async function noteChange(
  tx: Transaction,
  { row, actor, verb }: { readonly row: ProviderRow; readonly actor: string; readonly verb: string },
): Promise<void> {
  const { workspace_id, provider_id } = row;
  await insertEvent(tx, { workspace_id, kind: `oauth_provider.${verb}`, actor, detail: { provider_id } });
}

const addressFields = ['auth_url', 'token_url', 'revocation_url'] as const;

function checkAddresses(
  { isNamed }: AuthContext,
  request: Pick<OAuthProviderUpdateRequest, (typeof addressFields)[number]>,
): void {
  for (const field of addressFields) {
    const address = request[field];
    if (typeof address === 'string') checkAddress(field, { address, isNamed });
  }
}

/** All fields but the secret. */
export function answerOf(row: ProviderRow): OAuthProvider {
  const { workspace_id, client_secret: _secret, issuer: _issuer, resource: _resource, ...shown } = row;
  return { ...shown, organization_id: workspace_id };
}
