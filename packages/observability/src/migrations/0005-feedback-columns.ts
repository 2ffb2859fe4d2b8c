import type { Migration } from '@roadstead/postgres';

/**
 * Feedback that can be queried. A record that was stored whole becomes columns; a record that PostgreSQL can't read
 * as JSON stays beside them. `trace_id`, `session_id`, `start_time` and `thread_id` are those of the run once it is
 * there (`feedback-placing-store.ts`). Rollups are kept by triggers, so that no change of feedback can bypass them;
 * sums are decimals with twelve digits after the point, since sums of floats drift when values are subtracted again.
 */
export const feedbackColumns: Migration = {
  id: 5,
  name: 'feedback columns',
  sql: `
create function record_of(bytes bytea) returns jsonb language plpgsql as $$
begin
  return replace(convert_from(bytes, 'UTF8'), '\\u0000', '\\ufffd')::jsonb;
exception when others then
  return null;
end $$;

alter table feedback
  alter column record drop not null,
  add column score double precision check (abs(score) <= 1e15),
  add column value jsonb,
  add column comment text,
  add column correction jsonb,
  add column source_type text,
  add column source jsonb,
  add column user_id uuid,
  add column feedback_group_id uuid,
  add column comparative_experiment_id uuid,
  add column error boolean not null default false,
  add column extra jsonb,
  add column created_at timestamptz,
  add column modified_at timestamptz,
  add column start_time timestamptz,
  add column thread_id text;

update feedback f set
  record = case when r.record is null then f.record end,
  score = case jsonb_typeof(r.record->'score')
    when 'number' then case when abs((r.record->'score')::numeric) <= 1e15 then (r.record->>'score')::float8 end
    when 'boolean' then (r.record->'score')::boolean::integer end,
  value = nullif(r.record->'value', 'null'),
  comment = case when jsonb_typeof(r.record->'comment') = 'string' then r.record->>'comment' end,
  correction = nullif(r.record->'correction', 'null'),
  source = case when jsonb_typeof(r.record->'feedback_source') = 'object' then r.record->'feedback_source' end,
  source_type = coalesce(r.record#>>'{feedback_source,type}', 'api'),
  error = coalesce(r.record->'error' = 'true', false),
  extra = case when jsonb_typeof(r.record->'extra') = 'object' then r.record->'extra' end,
  created_at = f.received_at,
  modified_at = f.received_at
from (select workspace_id, feedback_id, record_of(record) as record from feedback) r
where r.feedback_id = f.feedback_id and r.workspace_id = f.workspace_id;
drop function record_of(bytea);

alter table feedback
  alter column created_at set not null, alter column created_at set default now(),
  alter column modified_at set not null, alter column modified_at set default now(),
  add column is_root boolean not null generated always as (coalesce(run_id = trace_id, false)) stored,
  add column level text not null generated always as (case when run_id is null then 'session' else 'run' end) stored,
  add column label text generated always as (
    case when jsonb_typeof(value) = 'string' and length(value #>> '{}') <= 100 then value #>> '{}' end) stored;
create index feedback_session on feedback (session_id, created_at) where session_id is not null;
create index feedback_scores on feedback (session_id, level, key, score) where score is not null;
create index feedback_thread on feedback (session_id, thread_id) where thread_id is not null;
create index feedback_workspace on feedback (workspace_id, created_at);
create index feedback_unplaced on feedback (received_at) where run_id is not null and start_time is null;
create index feedback_comparative on feedback (comparative_experiment_id) where comparative_experiment_id is not null;

create table feedback_rollups (
  workspace_id uuid not null,
  session_id uuid not null,
  level text not null,
  key text not null,
  source_type text not null,
  label text not null,
  count bigint not null,
  scored bigint not null,
  errors bigint not null,
  sum numeric not null,
  squares numeric not null,
  primary key (session_id, workspace_id, level, key, source_type, label)
);

create function rollup_of(f feedback, sign integer) returns feedback_rollups language sql immutable as $$
  select row(f.workspace_id, f.session_id, f.level, f.key, coalesce(f.source_type, ''), coalesce(f.label, ''),
    sign, sign * (f.score is not null)::integer, sign * f.error::integer,
    sign * coalesce(round(f.score::numeric, 12), 0), sign * coalesce(round(f.score::numeric, 12) ^ 2, 0))::traces.feedback_rollups
$$;

create function add_to_feedback_rollups(changes feedback_rollups[]) returns void language sql as $$
  insert into traces.feedback_rollups as r
  select workspace_id, session_id, level, key, source_type, label,
    sum(count), sum(scored), sum(errors), sum(sum), sum(squares)
  from unnest(changes)
  group by workspace_id, session_id, level, key, source_type, label
  having (sum(count), sum(scored), sum(errors), sum(sum), sum(squares)) <> (0, 0, 0, 0, 0)
  order by session_id, workspace_id, level, key, source_type, label
  on conflict (session_id, workspace_id, level, key, source_type, label) do update set
    count = r.count + excluded.count, scored = r.scored + excluded.scored, errors = r.errors + excluded.errors,
    sum = r.sum + excluded.sum, squares = r.squares + excluded.squares;
  delete from traces.feedback_rollups r using unnest(changes) c
  where r.session_id = c.session_id and r.workspace_id = c.workspace_id and r.level = c.level and r.key = c.key
    and r.source_type = c.source_type and r.label = c.label and r.count = 0
$$;

create function roll_up_added() returns trigger language plpgsql as $$ begin
  perform traces.add_to_feedback_rollups(array_agg(traces.rollup_of(a, 1))) from added a where session_id is not null;
  return null;
end $$;
create function roll_up_removed() returns trigger language plpgsql as $$ begin
  perform traces.add_to_feedback_rollups(array_agg(traces.rollup_of(r, -1))) from removed r where session_id is not null;
  return null;
end $$;
create function roll_up_changed() returns trigger language plpgsql as $$ begin
  perform traces.add_to_feedback_rollups(array_agg(change)) from (
    select traces.rollup_of(a, 1) from added a where session_id is not null
    union all select traces.rollup_of(r, -1) from removed r where session_id is not null
  ) c(change);
  return null;
end $$;
create trigger feedback_added after insert on feedback
  referencing new table as added for each statement execute function roll_up_added();
create trigger feedback_removed after delete on feedback
  referencing old table as removed for each statement execute function roll_up_removed();
create trigger feedback_changed after update on feedback
  referencing old table as removed new table as added for each statement execute function roll_up_changed();

select add_to_feedback_rollups(array_agg(rollup_of(f, 1))) from feedback f where session_id is not null;
`,
};
