import type { Migration } from '@roadstead/postgres';

/** Decisions that are too old are found by their time; before, each pass of the rules read all of them. */
export const decided: Migration = {
  id: 45,
  name: 'when rules decided',
  sql: `
create index rule_runs_decided on rule_runs (decided_at);
`,
};
