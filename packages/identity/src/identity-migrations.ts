import type { Migration } from '@roadstead/kit';

export const identityMigrations: readonly Migration[] = [
  {
    id: 1,
    name: 'workspaces and keys',
    sql: `
      create table workspaces (
        id uuid primary key,
        name text not null,
        created_at timestamptz not null default now()
      );
      -- Keys are 256 random bits, so that a plain hash of one is as good as a slow one.
      create table api_keys (
        id uuid primary key,
        -- A workspace's id, or '*' for the platform's own listener.
        workspace_id text not null,
        name text not null,
        hash bytea not null unique,
        hint text not null,
        scopes text[] not null,
        deployment_id uuid,
        -- Made to stand by the platform at its start, not by a caller.
        managed boolean not null default false,
        created_at timestamptz not null default now(),
        expires_at timestamptz,
        revoked_at timestamptz,
        last_used_at timestamptz
      );
      create index api_keys_by_workspace on api_keys (workspace_id, created_at, id);
    `,
  },
];
