import type { Migration } from '@roadstead/postgres';

/** Agents by name; the projects of their environments are found by `{id}/{environment}`. */
export const agentNames: Migration = {
  id: 19,
  name: 'agents',
  sql: `
create table agents (
  workspace_id uuid not null,
  id text not null,
  agent_uuid uuid not null,
  name text not null,
  agent_type text not null,
  source_type text not null,
  owner_id text,
  environments text[] not null,
  created_at timestamptz not null default now(),
  primary key (workspace_id, id)
);
`,
};
