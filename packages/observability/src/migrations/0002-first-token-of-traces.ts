import type { Migration } from '@roadstead/postgres';

/** When the first token of a trace came, which its root shows. */
export const firstTokenOfTraces: Migration = {
  id: 2,
  name: 'first token of traces',
  sql: `
alter table traces add column first_token_time timestamptz;
update traces t set first_token_time = r.first_token_time
from (
  select workspace_id, trace_id, min(first_token_time) as first_token_time from runs
  where first_token_time is not null group by workspace_id, trace_id
) r where r.trace_id = t.trace_id and r.workspace_id = t.workspace_id;
`,
};
