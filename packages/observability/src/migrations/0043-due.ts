import type { Migration } from '@roadstead/postgres';
import { outboxDueMigration } from '@roadstead/outbound';

const messages = outboxDueMigration(43);

/** Due work, while it is little, is listed regardless of its owner; workspaces that wait are found without reading all rows. */
export const dueIndexes: Migration = {
  ...messages,
  name: 'what is due',
  sql: `
${messages.sql};
create index rule_runs_due on rule_runs (due_at) where state = 'waiting';
create index strays_of_workspaces on strays (workspace_id, kept_at) where not promoted;
drop index strays_waiting;
create index undigested_of_workspaces on undigested (workspace_id, due_at);
drop index undigested_due;
`,
};
