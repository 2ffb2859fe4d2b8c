import type { Migration } from '@roadstead/postgres';

export const authService: Migration = {
  id: 6,
  name: 'OAuth providers, flows, tokens and connections',
  sql: `
    create table oauth_providers (
      id uuid primary key,
      workspace_id text not null,
      provider_id text not null,
      name text not null,
      client_id text not null,
      -- Sealed; null for a public client.
      client_secret text,
      auth_url text not null,
      token_url text not null,
      revocation_url text,
      -- Known of those that were discovered.
      issuer text,
      -- For which the tokens are (RFC 8707).
      resource text,
      uses_pkce boolean not null,
      code_challenge_method text,
      provider_type text,
      token_endpoint_auth_method text not null,
      authorization_params jsonb not null,
      mcp_server_url text,
      is_dynamic_client boolean not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      unique (workspace_id, provider_id)
    );

    create table oauth_tokens (
      id uuid primary key,
      workspace_id text not null,
      provider uuid not null references oauth_providers on delete cascade,
      -- Null where it is an agent's own.
      user_id text,
      -- Who asked for it, or imported it.
      created_by text not null,
      -- Both sealed.
      access_token text not null,
      refresh_token text,
      scopes text[] not null,
      -- What was asked for: providers don't repeat every scope that they gave.
      asked_scopes text[] not null,
      expires_at timestamptz,
      is_default boolean not null,
      provider_account_label text,
      metadata jsonb not null,
      -- Grows whenever the token becomes another one.
      version integer not null default 1,
      -- Since when it can't be refreshed: the user has to connect anew.
      broken_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    );
    create index oauth_tokens_of_users on oauth_tokens (workspace_id, user_id);
    create unique index oauth_tokens_default on oauth_tokens (provider, user_id) where is_default;

    create table oauth_flows (
      id uuid primary key,
      workspace_id text not null,
      provider uuid not null references oauth_providers on delete cascade,
      -- SHA-256: the state itself is in the user's browser only.
      state_hash bytea not null unique,
      -- Of PKCE; sealed.
      verifier text,
      redirect_uri text not null,
      user_id text not null,
      initiator text not null,
      deployment_id uuid references deployments on delete cascade,
      agent_id text,
      scopes text[] not null,
      is_default boolean not null,
      -- The token that it renews or widens; null makes another one.
      replaces uuid,
      status text not null,
      failure text,
      oauth_token_id uuid,
      expires_at timestamptz not null,
      created_at timestamptz not null default now()
    );
    create index oauth_flows_by_end on oauth_flows (expires_at);

    create table oauth_connections (
      id uuid primary key,
      workspace_id text not null,
      agent_id text not null,
      -- Set where it is for the agent of this deployment alone.
      deployment_id uuid references deployments on delete cascade,
      oauth_token_id uuid not null references oauth_tokens on delete cascade,
      created_by text not null,
      created_at timestamptz not null default now(),
      unique nulls not distinct (workspace_id, agent_id, deployment_id, oauth_token_id)
    );
    create index oauth_connections_of_token on oauth_connections (oauth_token_id);

    create table oauth_token_events (
      id bigint generated always as identity primary key,
      workspace_id text not null,
      user_id text,
      created_by text not null,
      provider_id text not null,
      oauth_token_id uuid not null,
      agent_id text,
      event_type text not null,
      reason text,
      source text not null,
      provider_account_label text,
      scopes text[] not null,
      detail jsonb,
      created_at timestamptz not null default now()
    );
    create index oauth_token_events_of_users on oauth_token_events (workspace_id, user_id, id desc);
  `,
};
