import type { TokenSummary } from '@roadstead/contracts/control-plane';
import type { SecretBox } from '@roadstead/kit';
import type { Queryable, Transaction } from '@roadstead/postgres';
import type { TokenFilter } from '../acting-rules.ts';
import type { AgentKey, ProviderUser } from '../keys.ts';
import type { TokenCandidate } from './token-rules.ts';
import type { RowKey } from '../../records/keys.ts';

export interface TokenRow extends TokenCandidate {
  readonly workspace_id: string;
  /** The id of the provider’s row. */
  readonly provider: string;
  readonly provider_id: string;
  readonly created_by: string;
  readonly version: number;
  readonly expires_at: string | null;
  readonly provider_account_label: string | null;
  readonly metadata: Record<string, unknown>;
  readonly created_at: string;
}

/** The secrets that the provider accepts. */
export interface TokenPair {
  readonly access_token: string;
  readonly refresh_token: string | null;
}

export interface NewToken extends TokenPair {
  readonly scopes: readonly string[];
  readonly asked_scopes: readonly string[];
  readonly expires_in_s: number | null;
  readonly is_default: boolean;
  readonly provider_account_label: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

const columns = `t.id, t.workspace_id, t.provider, p.provider_id, t.user_id, t.created_by, t.scopes, t.asked_scopes,
  t.expires_at, t.is_default, t.provider_account_label, t.metadata, t.version, t.broken_at, t.created_at, t.updated_at`;
const tokens = `select ${columns} from oauth_tokens t join oauth_providers p on p.id = t.provider`;

const rowOf = (id: string, part: keyof TokenPair) => `oauth-token:${id}:${part}`;

function sealed(
  box: SecretBox,
  id: string,
  { access_token, refresh_token }: TokenPair,
): [string, string | null] {
  return [
    box.seal(access_token, rowOf(id, 'access_token')),
    refresh_token === null ? null : box.seal(refresh_token, rowOf(id, 'refresh_token')),
  ];
}

/** The tokens in plain text, with their version. */
export async function openToken(
  db: Queryable,
  box: SecretBox,
  { id }: Pick<TokenRow, 'id'>,
): Promise<(TokenPair & Pick<TokenRow, 'version' | 'expires_at' | 'broken_at'>) | undefined> {
  const row = await db.maybe<TokenPair & Pick<TokenRow, 'version' | 'expires_at' | 'broken_at'>>(
    'select access_token, refresh_token, version, expires_at, broken_at from oauth_tokens where id = $1',
    [id],
  );
  if (row === undefined) return undefined;
  const { access_token, refresh_token } = row;
  return {
    ...row,
    access_token: box.open(access_token, rowOf(id, 'access_token')),
    refresh_token: refresh_token === null ? null : box.open(refresh_token, rowOf(id, 'refresh_token')),
  };
}

export async function insertToken(
  tx: Transaction,
  box: SecretBox,
  token: NewToken & Pick<TokenRow, 'id' | 'workspace_id' | 'provider' | 'created_by' | 'user_id'>,
): Promise<void> {
  const [access, refresh] = sealed(box, token.id, token);
  await tx.run(
    `insert into oauth_tokens (id, workspace_id, provider, user_id, created_by, access_token, refresh_token, scopes,
       asked_scopes, expires_at, is_default, provider_account_label, metadata)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, now() + make_interval(secs => $10::float8), $11, $12, $13::text::jsonb)`,
    [
      token.id,
      token.workspace_id,
      token.provider,
      token.user_id,
      token.created_by,
      access,
      refresh,
      token.scopes,
      token.asked_scopes,
      token.expires_in_s,
      token.is_default,
      token.provider_account_label,
      JSON.stringify(token.metadata),
    ],
  );
}

/** Answers whether it still existed. A refresh that finishes meanwhile is dropped, since the version has changed. */
export async function replaceToken(
  tx: Transaction,
  box: SecretBox,
  token: Omit<NewToken, 'is_default'> & { readonly id: string; readonly user_id: string },
): Promise<boolean> {
  const [access, refresh] = sealed(box, token.id, token);
  const replaced = await tx.run(
    `update oauth_tokens set access_token = $3, refresh_token = $4, scopes = $5, asked_scopes = $6,
       expires_at = now() + make_interval(secs => $7::float8),
       provider_account_label = coalesce($8, provider_account_label), metadata = $9::text::jsonb,
       version = version + 1, broken_at = null, updated_at = now()
     where id = $1 and user_id = $2`,
    [
      token.id,
      token.user_id,
      access,
      refresh,
      token.scopes,
      token.asked_scopes,
      token.expires_in_s,
      token.provider_account_label,
      JSON.stringify(token.metadata),
    ],
  );
  return replaced === 1;
}

/**
 * Answers whether the version was still the current one. If a provider sends no new refresh token, the old one stays
 * in use.
 */
export async function recordRefresh(
  tx: Transaction,
  box: SecretBox,
  token: TokenPair &
    Pick<TokenRow, 'id' | 'version'> & {
      readonly expires_in_s: number | null;
      readonly scopes: readonly string[] | null;
    },
): Promise<boolean> {
  const [access, refresh] = sealed(box, token.id, token);
  const recorded = await tx.run(
    `update oauth_tokens set access_token = $3, refresh_token = $4,
       expires_at = now() + make_interval(secs => $5::float8), scopes = coalesce($6::text[], scopes), version = version + 1,
       updated_at = now()
     where id = $1 and version = $2`,
    [token.id, token.version, access, refresh, token.expires_in_s, token.scopes],
  );
  return recorded === 1;
}

/** Answers whether it was unbroken until now. */
export async function markBroken(
  tx: Transaction,
  { id, version }: Pick<TokenRow, 'id' | 'version'>,
): Promise<boolean> {
  const marked = await tx.run(
    'update oauth_tokens set broken_at = now() where id = $1 and version = $2 and broken_at is null',
    [id, version],
  );
  return marked === 1;
}

export async function findToken(db: Queryable, { workspace_id, id }: RowKey): Promise<TokenRow | undefined> {
  return db.maybe<TokenRow>(`${tokens} where t.workspace_id = $1 and t.id = $2`, [workspace_id, id]);
}

/** Tokens, newest first. */
export async function listTokens(
  db: Queryable,
  {
    workspace_id,
    provider_id,
    whose,
  }: {
    readonly workspace_id: string;
    readonly provider_id?: string | undefined;
    readonly whose: TokenFilter;
  },
): Promise<TokenRow[]> {
  const [user_id, created_by] = 'user_id' in whose ? [whose.user_id, null] : [null, whose.created_by];
  return db.query<TokenRow>(
    `${tokens} where t.workspace_id = $1 and ($2::text is null or p.provider_id = $2) and t.user_id is not null
       and ($3::text is null or t.user_id = $3) and ($4::text is null or t.created_by = $4)
     order by t.created_at desc, t.id`,
    [workspace_id, provider_id ?? null, user_id, created_by],
  );
}

/** All tokens of the workspace at a kind of provider, no matter who they belong to. */
export async function listTokensOfKind(
  db: Queryable,
  { workspace_id, kind }: { readonly workspace_id: string; readonly kind: string },
): Promise<TokenRow[]> {
  return db.query<TokenRow>(
    `${tokens} where t.workspace_id = $1 and (p.provider_type = $2 or p.provider_id = $2) order by t.id`,
    [workspace_id, kind],
  );
}

/**
 * The tokens that an agent is connected to, of one user or its own, and how many agents use each. A connection of a
 * deployment counts for all of its agents.
 */
export async function listConnectedTokens(
  db: Queryable,
  of: ProviderUser & AgentKey,
): Promise<(TokenRow & { readonly agents: number })[]> {
  return db.query(
    `select ${columns}, (select count(*) from oauth_connections c where c.oauth_token_id = t.id) as agents
     from oauth_tokens t join oauth_providers p on p.id = t.provider
     where t.provider = $1 and (t.user_id = $2 or t.user_id is null) and exists (
       select from oauth_connections c where c.oauth_token_id = t.id and c.agent_id in ($3, $4::uuid::text)
         and ($4::uuid is null or c.deployment_id = $4))`,
    [of.provider, of.user_id, of.agent_id, of.deployment_id],
  );
}

/** Makes room for another default; until the commit nobody else changes the user’s tokens there. */
export async function clearDefault(tx: Transaction, { provider, user_id }: ProviderUser): Promise<void> {
  await tx.run(
    'update oauth_tokens set is_default = false where provider = $1 and user_id = $2 and is_default',
    [provider, user_id],
  );
}

export async function hasDefault(tx: Transaction, { provider, user_id }: ProviderUser): Promise<boolean> {
  const found = await tx.maybe(
    'select id from oauth_tokens where provider = $1 and user_id = $2 and is_default',
    [provider, user_id],
  );
  return found !== undefined;
}

/** Serializes changes, so that a user never has two defaults. */
export async function lockUserTokens(tx: Transaction, { provider, user_id }: ProviderUser): Promise<void> {
  await tx.run(`select pg_advisory_xact_lock(hashtextextended($1 || ':' || $2, 6))`, [provider, user_id]);
}

/** Undefined fields stay. */
export async function updateTokenMetadata(
  tx: Transaction,
  change: {
    readonly id: string;
    readonly provider_account_label: string | undefined;
    readonly is_default: boolean | undefined;
  },
): Promise<void> {
  await tx.run(
    `update oauth_tokens set provider_account_label = coalesce($2, provider_account_label),
       is_default = coalesce($3, is_default), updated_at = now()
     where id = $1`,
    [change.id, change.provider_account_label ?? null, change.is_default ?? null],
  );
}

/** Deletes a token with its connections. */
export async function deleteToken(tx: Transaction, id: string): Promise<boolean> {
  return (await tx.run('delete from oauth_tokens where id = $1', [id])) === 1;
}

export function summaryOf(row: TokenRow): TokenSummary {
  const { id, provider_id, provider_account_label, scopes, expires_at, is_default, created_at, updated_at } =
    row;
  return {
    id,
    provider_id,
    provider_account_label,
    scopes: [...scopes],
    expires_at,
    is_default,
    created_at,
    updated_at,
  };
}
