import type { Migration } from '@roadstead/postgres';

/** Runs whose digest, or a consequence of it, fails; they are tried again, separately from the others. */
export const undigested: Migration = {
  id: 25,
  name: 'undigested',
  sql: `
create table undigested (
  workspace_id uuid not null,
  run_id uuid not null,
  tier text not null,
  week date not null,
  attempts integer not null default 1,
  reason text not null,
  due_at timestamptz not null,
  primary key (workspace_id, run_id)
);
create index undigested_due on undigested (due_at);
`,
};
