import type { Migration } from '@roadstead/postgres';

/**
 * `traces` is small and finds everything; `runs` holds what lists and filters need; `payloads` holds the bytes. The
 * latter two are partitioned by tier and week of arrival, so that retention is the dropping of a table. Partitions are
 * made ahead by `partition-store.ts`. No index depends on a column that every run changes when it ends.
 */
export const initial: Migration = {
  id: 1,
  name: 'initial',
  sql: `
create table sessions (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  description text,
  extra jsonb,
  start_time timestamptz not null,
  end_time timestamptz,
  default_dataset_id uuid,
  reference_dataset_id uuid,
  trace_tier text check (trace_tier in ('shortlived', 'longlived')),
  deleted_at timestamptz,
  primary key (workspace_id, id)
);
create unique index sessions_name on sessions (workspace_id, name) where deleted_at is null;
create index sessions_deleted on sessions (deleted_at) where deleted_at is not null;

create table partitions (
  tier text not null,
  week date not null,
  created_at timestamptz not null default now(),
  primary key (tier, week)
);

create table traces (
  workspace_id uuid not null,
  trace_id uuid not null,
  session_id uuid,
  thread_id text,
  tier text not null,
  week date not null,
  run_count integer not null,
  prompt_tokens bigint not null default 0,
  completion_tokens bigint not null default 0,
  total_tokens bigint not null default 0,
  prompt_cost numeric,
  completion_cost numeric,
  total_cost numeric,
  received_at timestamptz not null,
  primary key (trace_id, workspace_id)
) with (fillfactor = 85);
create index traces_session on traces (session_id);
create index traces_partition on traces (tier, week);

create table runs (
  workspace_id uuid not null,
  run_id uuid not null,
  tier text not null,
  week date not null,
  trace_id uuid not null,
  parent_run_id uuid,
  session_id uuid not null,
  reference_example_id uuid,
  start_time timestamptz not null,
  end_time timestamptz,
  first_token_time timestamptz,
  received_at timestamptz not null,
  prompt_tokens bigint,
  completion_tokens bigint,
  total_tokens bigint,
  patched integer not null,
  own smallint not null,
  is_root boolean not null,
  has_error boolean not null,
  dotted_order text not null,
  name text,
  run_type text,
  thread_id text,
  tags text[],
  inputs_preview text,
  outputs_preview text,
  error_preview text,
  prompt_cost numeric,
  completion_cost numeric,
  total_cost numeric,
  primary key (run_id, workspace_id, tier, week)
) partition by list (tier);
create table runs_shortlived partition of runs for values in ('shortlived') partition by list (week);
create table runs_longlived partition of runs for values in ('longlived') partition by list (week);
create index runs_project on runs (session_id, start_time, run_id);
create index runs_roots on runs (session_id, start_time, run_id) where is_root;
create index runs_errors on runs (session_id, start_time, run_id) where has_error;
create index runs_trace on runs (trace_id);
create index runs_thread on runs (session_id, thread_id, start_time, run_id) where is_root and thread_id is not null;
create index runs_example on runs (reference_example_id) where reference_example_id is not null;

create table payloads (
  workspace_id uuid not null,
  run_id uuid not null,
  tier text not null,
  week date not null,
  patched smallint not null,
  inputs bytea,
  outputs bytea,
  events bytea,
  extra bytea,
  serialized bytea,
  error bytea,
  primary key (run_id, workspace_id, tier, week)
) partition by list (tier);
alter table payloads
  alter column inputs set storage external, alter column outputs set storage external,
  alter column events set storage external, alter column extra set storage external,
  alter column serialized set storage external, alter column error set storage external;
create table payloads_shortlived partition of payloads for values in ('shortlived') partition by list (week);
create table payloads_longlived partition of payloads for values in ('longlived') partition by list (week);

create table strays (
  workspace_id uuid not null,
  run_id uuid not null,
  parent_run_id uuid,
  trace_id uuid not null,
  tier text not null,
  week date not null,
  primary key (run_id, workspace_id)
);
create index strays_parent on strays (parent_run_id);

create table feedback (
  workspace_id uuid not null,
  feedback_id uuid not null,
  run_id uuid,
  trace_id uuid,
  session_id uuid,
  key text not null,
  record bytea not null,
  received_at timestamptz not null,
  primary key (feedback_id, workspace_id)
);
create index feedback_run on feedback (run_id);
create index feedback_received on feedback (received_at);

create table attachments (
  workspace_id uuid not null,
  run_id uuid not null,
  name text not null,
  content_type text not null,
  content bytea not null,
  received_at timestamptz not null,
  primary key (run_id, workspace_id, name)
);
create index attachments_received on attachments (received_at);
`,
};
