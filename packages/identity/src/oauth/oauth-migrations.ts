import type { Migration } from '@roadstead/postgres';

export const oauthMigration: Migration = {
  id: 2,
  name: 'authorization server',
  sql: `
    create table oauth_clients (
      id text primary key,
      metadata jsonb not null,
      created_at timestamptz not null default now(),
      -- When it last completed an authorization.
      used_at timestamptz
    );
    create index oauth_clients_by_age on oauth_clients (coalesce(used_at, created_at));

    create table oauth_grants (
      id uuid primary key,
      workspace_id uuid not null,
      -- Who consented, and as which version of themselves.
      subject text not null,
      subject_version integer not null,
      client_id text not null,
      client_name text,
      scopes text[] not null,
      -- What the library keeps about it.
      payload jsonb,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      revoked_at timestamptz,
      last_used_at timestamptz
    );
    create index oauth_grants_by_workspace on oauth_grants (workspace_id, id) where revoked_at is null;
    create index oauth_grants_by_expiry on oauth_grants (expires_at);

    -- Codes, refresh tokens, interactions: found by a hash of the value, sealed, so that this table gives nobody a token.
    create table oauth_records (
      kind text not null,
      hash bytea not null,
      sealed text not null,
      grant_id uuid,
      user_code_hash bytea,
      expires_at timestamptz not null,
      consumed_at timestamptz,
      primary key (kind, hash)
    );
    create index oauth_records_by_grant on oauth_records (grant_id) where grant_id is not null;
    create unique index oauth_records_by_user_code on oauth_records (user_code_hash) where user_code_hash is not null;
    create index oauth_records_by_expiry on oauth_records (expires_at);

    create table oauth_signing_keys (
      id text primary key,
      sealed text not null,
      public_key jsonb not null,
      created_at timestamptz not null default now()
    );
  `,
};
