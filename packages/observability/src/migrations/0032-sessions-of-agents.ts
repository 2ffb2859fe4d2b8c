import type { Migration } from '@roadstead/kit';

/** Which tracing projects were made as those of agents; of others the agents tell it. */
export const sessionsOfAgents: Migration = {
  id: 32,
  name: 'sessions of agents',
  sql: `
alter table sessions add column is_agent boolean not null default false;
`,
};
