import type { Migration } from '@roadstead/postgres';

/**
 * Rules and their decisions on runs; comparisons of experiments, and the expected size of an experiment. `rule_runs`
 * outlives its run, so that a rule never acts twice on one run.
 */
export const rulesAndExperiments: Migration = {
  id: 7,
  name: 'rules and experiments',
  sql: `
create table rules (
  workspace_id uuid not null,
  id uuid not null,
  display_name text not null,
  is_enabled boolean not null,
  session_id uuid,
  dataset_id uuid,
  sampling_rate double precision not null check (sampling_rate between 0 and 1),
  filter text,
  trace_filter text,
  tree_filter text,
  add_to_dataset_id uuid,
  add_to_dataset_prefer_correction boolean not null,
  add_to_annotation_queue_id uuid,
  extend_only boolean not null,
  webhooks jsonb not null,
  failures integer not null default 0,
  disabled_reason text,
  applies_from timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id)
);

create table rule_runs (
  workspace_id uuid not null,
  rule_id uuid not null,
  run_id uuid not null,
  session_id uuid not null,
  run_start_time timestamptz not null,
  run_end_time timestamptz not null,
  state text not null default 'waiting' check (state in ('waiting', 'done', 'failed')),
  attempts integer not null default 0,
  due_at timestamptz not null default now(),
  outcomes jsonb not null default '{}',
  error text,
  decided_at timestamptz not null default now(),
  applied_at timestamptz,
  primary key (workspace_id, rule_id, run_id),
  foreign key (workspace_id, rule_id) references rules on delete cascade
);
create index rule_runs_due on rule_runs (due_at) where state = 'waiting';
create index rule_runs_latest on rule_runs (workspace_id, rule_id, decided_at desc, run_id);
create index rule_runs_session on rule_runs (workspace_id, session_id);

alter table sessions
  add column num_examples integer,
  add column num_repetitions integer,
  add column evaluator_keys text[],
  add column test_run_number integer;
create index sessions_experiments on sessions (reference_dataset_id, start_time)
  where reference_dataset_id is not null and deleted_at is null;

create table comparisons (
  workspace_id uuid not null,
  id uuid not null,
  name text,
  description text,
  reference_dataset_id uuid not null,
  experiment_ids uuid[] not null,
  extra jsonb,
  created_at timestamptz not null,
  modified_at timestamptz not null,
  primary key (workspace_id, id)
);
create index comparisons_dataset on comparisons (workspace_id, reference_dataset_id, created_at);
`,
};
