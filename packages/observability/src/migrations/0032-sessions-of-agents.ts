import type { Migration } from '@roadstead/kit';

/** Which tracing projects are those of an agent's environments. */
export const sessionsOfAgents: Migration = {
  id: 32,
  name: 'sessions of agents',
  sql: `
alter table sessions add column is_agent boolean not null default false;
update sessions s set is_agent = true from agents a, unnest(a.environments) e(name)
  where s.workspace_id = a.workspace_id and s.name = a.id || '/' || lower(e.name) and s.deleted_at is null;
`,
};
