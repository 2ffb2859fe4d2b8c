import type { Migration } from '@roadstead/postgres';
import { outboxOwnersMigration } from '@roadstead/outbound';

const owners = outboxOwnersMigration(42);

/** Due work is listed so that workspaces take turns. */
export const turns: Migration = {
  ...owners,
  name: 'turns of workspaces',
  sql: `
${owners.sql}
create index rule_runs_in_turns on rule_runs (workspace_id, rule_id, due_at) where state = 'waiting';
drop index rule_runs_due;
`,
};
