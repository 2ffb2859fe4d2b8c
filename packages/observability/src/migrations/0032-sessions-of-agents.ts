import type { Migration } from '@roadstead/postgres';

/** Marks the tracing projects that were made for agents; for earlier ones the agents decide it. */
export const sessionsOfAgents: Migration = {
  id: 32,
  name: 'sessions of agents',
  sql: `
alter table sessions add column is_agent boolean not null default false;
`,
};
