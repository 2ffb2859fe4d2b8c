import type { Migration } from '@roadstead/postgres';

/**
 * Marks runs below a call that counts for them. Runs that are stored already are not marked: the sums of their traces
 * stay as they were reported.
 */
export const runsWithinCalls: Migration = {
  id: 40,
  name: 'runs within calls',
  sql: `
alter table runs add column within_call boolean not null default false;
drop index runs_trace;
create index runs_trace on runs (trace_id, parent_run_id);
`,
};
