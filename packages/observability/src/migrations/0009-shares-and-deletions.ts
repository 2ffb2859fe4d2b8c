import type { Migration } from '@roadstead/postgres';

/**
 * Links that give access to a subject without a key: a token is found by its hash, and shown again from its sealed
 * copy. Traces that are being deleted carry the deletion; while there are none, the index over them is empty.
 */
export const sharesAndDeletions: Migration = {
  id: 9,
  name: 'shares and deletions',
  sql: `
create table shares (
  token_hash bytea not null primary key,
  workspace_id uuid not null,
  kind text not null check (kind in ('run', 'thread', 'dataset')),
  subject_id uuid not null,
  thread_id text not null default '',
  sealed_token text not null,
  created_at timestamptz not null default now()
);
create unique index shares_subject on shares (workspace_id, kind, subject_id, thread_id);

create table deletions (
  workspace_id uuid not null,
  id uuid not null,
  created_at timestamptz not null default now(),
  completed_at timestamptz,
  traces integer not null,
  removed jsonb not null default '{}',
  primary key (id, workspace_id)
);
create index deletions_open on deletions (created_at) where completed_at is null;

alter table traces add column deletion_id uuid;
create index traces_deleted on traces (trace_id, workspace_id) where deletion_id is not null;
`,
};
