import type { Migration } from '@roadstead/postgres';

/**
 * Data derived from runs after they are written. `changes` names runs that were written or removed and aren't
 * digested yet; `search` holds the values that filters look for, in partitions like those of `runs`; `rollups` holds
 * the sums of projects, separately for each partition, so that both can be dropped with it.
 */
export const searchAndRollups: Migration = {
  id: 3,
  name: 'search and rollups',
  sql: `
create table changes (
  id bigserial primary key,
  workspace_id uuid not null,
  tier text not null,
  week date not null,
  run_ids uuid[] not null,
  created_at timestamptz not null default now()
) with (autovacuum_vacuum_scale_factor = 0.01);
create index changes_workspace on changes (workspace_id, id);

create table search (
  workspace_id uuid not null,
  run_id uuid not null,
  tier text not null,
  week date not null,
  trace_id uuid not null,
  session_id uuid not null,
  start_time timestamptz not null,
  -- What it was counted as in the rollups; null where it wasn't.
  counted jsonb,
  terms bigint[] not null,
  metadata jsonb not null,
  io jsonb,
  words tsvector not null,
  primary key (run_id, workspace_id, tier, week)
) partition by list (tier);
-- Words don't get smaller.
alter table search alter column words set storage external;
create table search_shortlived partition of search for values in ('shortlived') partition by list (week);
create table search_longlived partition of search for values in ('longlived') partition by list (week);
create index search_terms on search using gin (terms);
create index search_words on search using gin (words);

-- For each day on which root runs began, and for all time under the day '-infinity'.
create table rollups (
  workspace_id uuid not null,
  session_id uuid not null,
  tier text not null,
  week date not null,
  day date not null,
  run_count bigint not null,
  error_count bigint not null,
  prompt_tokens bigint not null,
  completion_tokens bigint not null,
  total_tokens bigint not null,
  prompt_cost_count bigint not null,
  completion_cost_count bigint not null,
  total_cost_count bigint not null,
  prompt_cost numeric not null,
  completion_cost numeric not null,
  total_cost numeric not null,
  -- How many runs lie in each bucket of a logarithmic histogram, by the bucket's number.
  latency jsonb not null,
  first_token jsonb not null,
  primary key (session_id, workspace_id, tier, week, day)
);
create index rollups_partition on rollups (tier, week);

do $$
declare p record;
begin
  for p in select tier, week from partitions loop
    execute format(
      'create table %I partition of %I for values in (%L) with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05)',
      'search_' || p.tier || '_' || to_char(p.week, 'YYYYMMDD'), 'search_' || p.tier, p.week);
  end loop;
end $$;
insert into changes (workspace_id, tier, week, run_ids)
select workspace_id, tier, week, array_agg(run_id) from (
  select workspace_id, tier, week, run_id,
    row_number() over (partition by workspace_id, tier, week order by start_time desc) / 500 as batch
  from runs
) r group by workspace_id, tier, week, batch order by week desc, batch;
`,
};
