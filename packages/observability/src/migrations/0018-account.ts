import type { Migration } from '@roadstead/postgres';

/**
 * The settings of a workspace, and the number of traces that it began. `usage` is counted by triggers, in the
 * transaction that begins a trace or moves it to another tier or project; a trace that is removed later stays
 * counted. Its rows are split by `shard`, so that two processes that write traces of one project don't wait for each
 * other.
 */
export const account: Migration = {
  id: 18,
  name: 'account',
  sql: `
alter table workspace_settings
  add column default_tier text check (default_tier in ('shortlived', 'longlived')),
  add column longlived_days integer,
  add column retention_id uuid,
  add column retention_set_at timestamptz,
  add column retention_changed_at timestamptz;

create table workspace_secrets (
  workspace_id uuid not null,
  name text not null,
  sealed text not null,
  updated_at timestamptz not null default now(),
  primary key (workspace_id, name)
);

create table usage_limits (
  workspace_id uuid not null,
  kind text not null check (kind in ('monthly_traces', 'monthly_longlived_traces')),
  id uuid not null unique,
  value bigint not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, kind)
);

create table usage (
  workspace_id uuid not null,
  day date not null,
  -- All zeros as long as the project isn't known.
  session_id uuid not null,
  shard smallint not null,
  traces bigint not null,
  longlived bigint not null,
  primary key (workspace_id, day, session_id, shard)
);

create function usage_session(session_id uuid) returns uuid language sql immutable
  return coalesce(session_id, '00000000-0000-0000-0000-000000000000'::uuid);

create function count_new_traces() returns trigger language plpgsql as $$
begin
  insert into traces.usage as u (workspace_id, day, session_id, shard, traces, longlived)
  select workspace_id, (received_at at time zone 'UTC')::date, traces.usage_session(session_id),
    pg_backend_pid() % 8, count(*), count(*) filter (where tier = 'longlived')
  from fresh group by 1, 2, 3 order by 1, 2, 3
  on conflict (workspace_id, day, session_id, shard) do update
    set traces = u.traces + excluded.traces, longlived = u.longlived + excluded.longlived;
  return null;
end $$;
create trigger usage_of_new after insert on traces
  referencing new table as fresh for each statement execute function count_new_traces();

create function count_moved_trace() returns trigger language plpgsql as $$
begin
  insert into traces.usage as u (workspace_id, day, session_id, shard, traces, longlived)
  select workspace_id, day, session_id, pg_backend_pid() % 8, sum(traces), sum(longlived) from (values
    (old.workspace_id, (old.received_at at time zone 'UTC')::date, traces.usage_session(old.session_id),
      -1, case old.tier when 'longlived' then -1 else 0 end),
    (new.workspace_id, (old.received_at at time zone 'UTC')::date, traces.usage_session(new.session_id),
      1, case new.tier when 'longlived' then 1 else 0 end)
  ) as moved (workspace_id, day, session_id, traces, longlived)
  group by 1, 2, 3 order by 1, 2, 3
  on conflict (workspace_id, day, session_id, shard) do update
    set traces = u.traces + excluded.traces, longlived = u.longlived + excluded.longlived;
  return null;
end $$;
create trigger usage_of_moved after update of tier, session_id on traces for each row
  when (old.tier is distinct from new.tier or old.session_id is distinct from new.session_id)
  execute function count_moved_trace();

insert into usage (workspace_id, day, session_id, shard, traces, longlived)
select workspace_id, (received_at at time zone 'UTC')::date, usage_session(session_id), 0, count(*),
  count(*) filter (where tier = 'longlived')
from traces group by 1, 2, 3;
`,
};
