import type { Migration } from '@roadstead/kit';

/** Runs of a trace are found below each other. Of runs that are stored already none is: what their traces add up to stays as it was told. */
export const runsWithinCalls: Migration = {
  id: 40,
  name: 'runs within calls',
  sql: `
alter table runs add column within_call boolean not null default false;
drop index runs_trace;
create index runs_trace on runs (trace_id, parent_run_id);
`,
};
