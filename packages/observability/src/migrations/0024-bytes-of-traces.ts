import type { Migration } from '@roadstead/postgres';

/**
 * The compressed bytes of traces, and their limit. A trace that is removed later stays counted. Rows are split by
 * `shard`, so that processes that write at once rarely wait for each other.
 */
export const bytesOfTraces: Migration = {
  id: 24,
  name: 'bytes of traces',
  sql: `
alter table usage_limits drop constraint usage_limits_kind_check;
alter table usage_limits add constraint usage_limits_kind_check
  check (kind in ('monthly_traces', 'monthly_longlived_traces', 'monthly_bytes'));

create table usage_bytes (
  workspace_id uuid not null,
  day date not null,
  shard smallint not null,
  bytes bigint not null,
  primary key (workspace_id, day, shard)
);
`,
};
