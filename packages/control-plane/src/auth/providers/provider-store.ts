import type { OAuthProviderCreateRequest } from '@roadstead/contracts/control-plane';
import { Problem, type SecretBox } from '@roadstead/kit';
import type { Queryable, Transaction } from '@roadstead/postgres';
import type { OpenProvider } from '../client/provider-rules.ts';
import type { ProviderKey } from '../keys.ts';

export interface ProviderRow extends Omit<OpenProvider, 'client_secret'> {
  readonly id: string;
  readonly workspace_id: string;
  readonly provider_id: string;
  /** Sealed. */
  readonly client_secret: string | null;
  readonly uses_pkce: boolean;
  readonly code_challenge_method: string | null;
  readonly authorization_params: Readonly<Record<string, string>>;
  readonly mcp_server_url: string | null;
  readonly is_dynamic_client: boolean;
  readonly created_at: string;
  readonly updated_at: string;
}

type Seal = (client_secret: string, id: string) => string;
export type NewProvider = Omit<ProviderRow, 'created_at' | 'updated_at'>;

const rowOf = (id: string) => `oauth-provider:${id}`;
export const sealClientSecret =
  (box: SecretBox): Seal =>
  (client_secret, id) =>
    box.seal(client_secret, rowOf(id));

export function openProvider(box: SecretBox, row: ProviderRow): OpenProvider {
  const { client_secret } = row;
  return { ...row, client_secret: client_secret === null ? null : box.open(client_secret, rowOf(row.id)) };
}

const noProvider = () =>
  new Problem('not_found', 'There is no such OAuth provider in this workspace.', {
    hint: 'Register it by POST /v2/auth/providers.',
  });

/** Undefined when the name is taken. */
export async function insertProvider(tx: Transaction, row: NewProvider): Promise<ProviderRow | undefined> {
  return tx.maybe<ProviderRow>(
    `insert into oauth_providers (id, workspace_id, provider_id, name, client_id, client_secret, auth_url, token_url,
       revocation_url, issuer, resource, uses_pkce, code_challenge_method, provider_type, token_endpoint_auth_method,
       authorization_params, mcp_server_url, is_dynamic_client)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16::text::jsonb, $17, $18)
     on conflict (workspace_id, provider_id) do nothing
     returning *`,
    [
      row.id,
      row.workspace_id,
      row.provider_id,
      row.name,
      row.client_id,
      row.client_secret,
      row.auth_url,
      row.token_url,
      row.revocation_url,
      row.issuer,
      row.resource,
      row.uses_pkce,
      row.code_challenge_method,
      row.provider_type,
      row.token_endpoint_auth_method,
      JSON.stringify(row.authorization_params),
      row.mcp_server_url,
      row.is_dynamic_client,
    ],
  );
}

export async function listProviders(db: Queryable, workspace_id: string): Promise<ProviderRow[]> {
  return db.query<ProviderRow>(
    'select * from oauth_providers where workspace_id = $1 order by created_at, id',
    [workspace_id],
  );
}

export async function findProvider(
  db: Queryable,
  { workspace_id, provider_id }: ProviderKey,
): Promise<ProviderRow | undefined> {
  return db.maybe<ProviderRow>('select * from oauth_providers where workspace_id = $1 and provider_id = $2', [
    workspace_id,
    provider_id,
  ]);
}

/** @throws Problem `not_found` */
export async function readProvider(db: Queryable, named: ProviderKey): Promise<ProviderRow> {
  const row = await findProvider(db, named);
  if (row === undefined) throw noProvider();
  return row;
}

export async function findProviderById(db: Queryable, id: string): Promise<ProviderRow | undefined> {
  return db.maybe<ProviderRow>('select * from oauth_providers where id = $1', [id]);
}

export type ProviderChange = Partial<
  Pick<
    OAuthProviderCreateRequest,
    'name' | 'client_id' | 'auth_url' | 'token_url' | 'uses_pkce' | 'authorization_params'
  >
> & {
  readonly client_secret?: string;
  readonly revocation_url?: string;
};

/**
 * Absent fields stay.
 * @throws Problem `not_found`
 */
export async function updateProvider(
  tx: Transaction,
  id: string,
  change: ProviderChange,
): Promise<ProviderRow> {
  const row = await tx.maybe<ProviderRow>(
    `update oauth_providers set name = coalesce($2, name), client_id = coalesce($3, client_id),
       client_secret = coalesce($4, client_secret), auth_url = coalesce($5, auth_url),
       token_url = coalesce($6, token_url), revocation_url = coalesce($7, revocation_url),
       uses_pkce = coalesce($8, uses_pkce),
       authorization_params = coalesce($9::text::jsonb, authorization_params), updated_at = now()
     where id = $1 returning *`,
    [
      id,
      change.name ?? null,
      change.client_id ?? null,
      change.client_secret ?? null,
      change.auth_url ?? null,
      change.token_url ?? null,
      change.revocation_url ?? null,
      change.uses_pkce ?? null,
      change.authorization_params === undefined ? null : JSON.stringify(change.authorization_params),
    ],
  );
  if (row === undefined) throw noProvider();
  return row;
}

/** Deletes it with its flows, its tokens and their connections. */
export async function deleteProvider(
  tx: Transaction,
  { workspace_id, provider_id }: ProviderKey,
): Promise<ProviderRow> {
  const row = await tx.maybe<ProviderRow>(
    'delete from oauth_providers where workspace_id = $1 and provider_id = $2 returning *',
    [workspace_id, provider_id],
  );
  if (row === undefined) throw noProvider();
  return row;
}
