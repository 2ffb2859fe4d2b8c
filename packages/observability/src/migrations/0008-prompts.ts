import type { Migration } from '@roadstead/postgres';

/**
 * Prompts, agents and skills, their versions one after the other, and the names of versions. A manifest is kept as
 * the text that was sent. The history of a name outlives the name.
 */
export const prompts: Migration = {
  id: 8,
  name: 'prompts',
  sql: `
create table workspace_settings (
  workspace_id uuid primary key,
  handle text unique
);

create table prompts (
  workspace_id uuid not null,
  id uuid primary key,
  handle text not null,
  kind text not null check (kind in ('prompt', 'file', 'agent', 'skill')),
  source text check (source in ('internal', 'external')),
  description text,
  readme text,
  tags text[] not null default '{}',
  is_public boolean not null default false,
  is_archived boolean not null default false,
  restricted_mode boolean not null default false,
  original_id uuid references prompts on delete set null,
  upstream_id uuid references prompts on delete set null,
  num_commits integer not null default 0,
  num_likes integer not null default 0,
  num_downloads bigint not null default 0,
  num_views bigint not null default 0,
  created_by text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (workspace_id, handle)
);
create index prompts_handle on prompts (handle);
create index prompts_original on prompts (original_id) where original_id is not null;
create index prompts_upstream on prompts (upstream_id) where upstream_id is not null;

create table prompt_commits (
  prompt_id uuid not null references prompts on delete cascade,
  number integer not null,
  id uuid not null unique,
  hash text not null,
  manifest text not null,
  description text,
  created_by text not null,
  num_downloads bigint not null default 0,
  num_views bigint not null default 0,
  created_at timestamptz not null default now(),
  primary key (prompt_id, number),
  unique (prompt_id, hash)
);

create table prompt_tags (
  id uuid primary key,
  prompt_id uuid not null references prompts on delete cascade,
  name text not null,
  commit_id uuid not null references prompt_commits (id) on delete cascade,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (prompt_id, name)
);
create index prompt_tags_commit on prompt_tags (commit_id);

create table prompt_tag_moves (
  id uuid primary key,
  prompt_id uuid not null references prompts on delete cascade,
  name text not null,
  from_commit_id uuid,
  to_commit_id uuid,
  actor text not null,
  created_at timestamptz not null default now()
);
create index prompt_tag_moves_name on prompt_tag_moves (prompt_id, name, created_at);

create table prompt_likes (
  prompt_id uuid not null references prompts on delete cascade,
  actor text not null,
  primary key (prompt_id, actor)
);
`,
};
