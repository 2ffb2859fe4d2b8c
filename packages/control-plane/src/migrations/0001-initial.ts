import type { Migration } from '@roadstead/postgres';

export const initial: Migration = {
  id: 1,
  name: 'deployments, revisions, listeners, events, logs',
  sql: `
    create table listeners (
      id uuid primary key,
      -- A workspace's id, or '*' for the platform's own listener.
      workspace_id text not null,
      compute_type text not null,
      compute_id text not null,
      compute_config jsonb not null default '{}',
      version text,
      capabilities text[] not null,
      isolation text not null default 'none',
      -- Drawn under this row's lock, so that commit order is number order. 0 would read as a restart.
      generation bigint not null default 1,
      -- Grows with every life of the listener; what an earlier life says is refused.
      fence bigint not null default 0,
      lease_expires_at timestamptz,
      last_seen_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      unique (workspace_id, compute_id)
    );

    create table deployments (
      id uuid primary key,
      workspace_id text not null,
      name text not null,
      slug text not null,
      source text not null,
      source_config jsonb not null,
      status text not null,
      -- Counts what callers intend; the ETag.
      version integer not null default 1,
      latest_revision_id uuid,
      active_revision_id uuid,
      tracer_session_id text,
      -- The deployment's own tracing key; the plain text is sealed.
      key_id uuid,
      key_sealed text,
      -- Nothing of it has a key any more, not even what a killed process made without recording it.
      keys_revoked boolean not null default false,
      delete_tracing_project boolean not null default false,
      deleted_at timestamptz,
      -- When the bin is emptied of it.
      purge_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    );
    create unique index deployments_name on deployments (workspace_id, name) where deleted_at is null;
    create unique index deployments_slug on deployments (slug) where deleted_at is null;
    create index deployments_by_workspace on deployments (workspace_id, id desc);

    -- One row per version; values are sealed together and bound to the row. A revision names its version for ever.
    create table environments (
      deployment_id uuid not null references deployments on delete cascade,
      version integer not null,
      names text[] not null,
      sealed text not null,
      created_at timestamptz not null default now(),
      primary key (deployment_id, version)
    );

    create table revisions (
      id uuid primary key,
      deployment_id uuid not null references deployments on delete cascade,
      number integer not null,
      status text not null,
      status_reason jsonb,
      source text not null,
      -- What of the request makes the revision: paths, references, commands.
      config jsonb not null,
      source_digest text,
      artifact_digest text,
      -- Its artifact was removed with age.
      artifact_expired boolean not null default false,
      -- 0: no secrets.
      environment_version integer not null,
      manifest jsonb,
      phases jsonb not null,
      trigger jsonb not null,
      superseded_by uuid,
      rollback_of uuid,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      unique (deployment_id, number)
    );
    create index revisions_by_source on revisions (source_digest) where artifact_digest is not null;

    -- The desired state of a deployment at its listener, and the listener's last word on it.
    create table assignments (
      deployment_id uuid primary key references deployments on delete cascade,
      listener_id uuid not null references listeners,
      -- 0: nothing was put to the listener yet.
      generation bigint not null default 0,
      -- The revision to reach, or the last one that was.
      revision_id uuid,
      removed boolean not null default false,
      purge boolean not null default false,
      observed_generation bigint not null default 0,
      observed_fence bigint not null default 0,
      observed jsonb,
      url text,
      hosts integer not null default 0
    );
    create index assignments_by_listener on assignments (listener_id, generation);

    create table uploads (
      object_path text primary key,
      deployment_id uuid not null references deployments on delete cascade,
      -- Null until the archive has come whole.
      digest text,
      size bigint,
      created_at timestamptz not null default now(),
      completed_at timestamptz
    );

    -- What lies in blobs by our hand; a blob that nothing names is removed with its row.
    create table stored_blobs (
      digest text primary key,
      size bigint not null,
      put_at timestamptz not null default now()
    );

    create table events (
      id bigint generated always as identity primary key,
      workspace_id text not null,
      at timestamptz not null default now(),
      kind text not null,
      deployment_id uuid,
      revision_id uuid,
      actor text not null,
      from_status text,
      to_status text,
      detail jsonb not null default '{}'
    );
    create index events_by_workspace on events (workspace_id, id desc);
    create index events_by_deployment on events (deployment_id, id desc);

    -- What a log holds in all; its row's lock also makes the order of chunks the order of commits.
    create table logs (
      deployment_id uuid not null references deployments on delete cascade,
      kind text not null,
      -- A build log is a revision's, a server log the deployment's.
      of_id uuid not null,
      bytes bigint not null,
      primary key (of_id, kind)
    );
    create table log_chunks (
      id bigint generated always as identity primary key,
      deployment_id uuid not null references deployments on delete cascade,
      revision_id uuid not null,
      kind text not null,
      of_id uuid not null,
      writer text not null,
      seq bigint not null,
      lines integer not null,
      -- Before compression; what the quota counts.
      bytes integer not null,
      body bytea not null,
      created_at timestamptz not null default now(),
      unique (revision_id, kind, writer, seq)
    );
    create index log_chunks_of_deployment on log_chunks (deployment_id, kind, id);

    create table idempotency_keys (
      workspace_id text not null,
      operation text not null,
      key text not null,
      -- A keyed hash: bodies hold secrets.
      body_mac bytea not null,
      answer jsonb,
      created_at timestamptz not null default now(),
      primary key (workspace_id, operation, key)
    );

    -- Who works on something just now, by the database's clock.
    create table claims (
      name text primary key,
      owner uuid not null,
      token bigint not null,
      until timestamptz not null
    );
  `,
};
