import type { Migration } from '@roadstead/postgres';

export const git: Migration = {
  id: 4,
  name: 'git integrations, commits of revisions, heads of deployments',
  sql: `
    create table integrations (
      id uuid primary key,
      -- What clients know as the number of an installation, where no host has given one.
      number integer not null generated always as identity,
      workspace_id text not null,
      kind text not null,
      name text not null,
      -- In lower case, with its port where that is another than usual.
      host text not null,
      -- Null: it only receives webhooks.
      credential_kind text,
      -- What of the credential may be shown.
      credential_shown jsonb,
      credential_sealed text,
      webhook_secret_sealed text not null,
      webhook_received_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      unique (workspace_id, name)
    );

    -- Deliveries of webhooks that were acted on, by a hash of what they said: each is acted on once.
    create table deliveries (
      integration_id uuid not null references integrations on delete cascade,
      digest bytea not null,
      received_at timestamptz not null default now(),
      primary key (integration_id, digest)
    );

    alter table deployments
      add column integration_id uuid references integrations on delete set null,
      -- The repository in the form in which its addresses are compared.
      add column repository text,
      -- Where the ref stood when that was last heard of.
      add column head_sha text,
      -- Why it could not be found out.
      add column head_problem jsonb,
      -- The last webhook about its repository.
      add column pushed_at timestamptz;
    create index deployments_by_repository on deployments (workspace_id, repository) where repository is not null;
    create index deployments_by_integration on deployments (integration_id) where integration_id is not null;

    -- Null until the listener has found out what the ref is; then it never changes.
    alter table revisions add column commit_sha text;
    create index revisions_by_commit on revisions (commit_sha) where artifact_digest is not null;
  `,
};
