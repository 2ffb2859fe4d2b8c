import type { Migration } from '@roadstead/postgres';

/** The time since which a run waits for its parent, and whether it was made a root meanwhile. */
export const orphans: Migration = {
  id: 16,
  name: 'orphans',
  sql: `
alter table strays add column kept_at timestamptz not null default now(),
  add column promoted boolean not null default false;
create index strays_waiting on strays (kept_at) where not promoted;
`,
};
