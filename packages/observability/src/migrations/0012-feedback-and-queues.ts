import type { Migration } from '@roadstead/postgres';

/**
 * The tables around feedback, and annotation queues. Indexes that find feedback by run or project name the workspace
 * too: before the first `analyze` one of the workspace alone looks as good.
 */
export const feedbackAndQueues: Migration = {
  id: 12,
  name: 'feedback and queues',
  sql: `
drop index feedback_run;
drop index feedback_session;
create index feedback_run on feedback (run_id, workspace_id);
create index feedback_trace on feedback (trace_id, workspace_id) where trace_id is not null;
create index feedback_session on feedback (session_id, workspace_id, created_at) where session_id is not null;

create table feedback_configs (
  workspace_id uuid not null,
  feedback_key text not null,
  feedback_config jsonb not null,
  is_lower_score_better boolean,
  is_enforced boolean not null,
  modified_at timestamptz not null,
  primary key (workspace_id, feedback_key)
);

create table feedback_formulas (
  workspace_id uuid not null,
  id uuid not null,
  dataset_id uuid,
  session_id uuid,
  feedback_key text not null,
  aggregation_type text not null check (aggregation_type in ('sum', 'avg')),
  formula_parts jsonb not null,
  created_at timestamptz not null,
  modified_at timestamptz not null,
  primary key (id, workspace_id),
  check ((dataset_id is null) <> (session_id is null))
);
create unique index feedback_formulas_key
  on feedback_formulas (workspace_id, coalesce(session_id, dataset_id), feedback_key);

create table feedback_tokens (
  token_hash bytea primary key,
  sealed_token text not null,
  workspace_id uuid not null,
  run_id uuid not null,
  feedback_key text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index feedback_tokens_run on feedback_tokens (run_id, workspace_id, created_at);
create index feedback_tokens_expiry on feedback_tokens (expires_at);

create table retention_extensions (
  workspace_id uuid not null,
  run_id uuid not null,
  requested_at timestamptz not null,
  primary key (run_id, workspace_id)
);

create table annotation_queues (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  description text,
  queue_type text not null check (queue_type in ('single', 'pairwise')),
  default_dataset uuid,
  num_reviewers_per_item integer,
  enable_reservations boolean not null,
  reservation_minutes integer,
  reviewer_access_mode text not null,
  assigned_reviewers uuid[] not null default '{}',
  rubric_items jsonb,
  rubric_instructions text,
  metadata jsonb,
  source_rule_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, workspace_id)
);
create index annotation_queues_workspace on annotation_queues (workspace_id, created_at);

create table annotation_queue_items (
  workspace_id uuid not null,
  id uuid not null,
  queue_id uuid not null,
  item_type text not null check (item_type in ('RUN', 'THREAD')),
  run_id uuid,
  thread_id text,
  session_id uuid,
  start_time timestamptz,
  source_proposed_example_id uuid,
  added_at timestamptz not null,
  last_reviewed_time timestamptz,
  primary key (id, workspace_id),
  foreign key (queue_id, workspace_id) references annotation_queues on delete cascade,
  check ((item_type = 'RUN') = (run_id is not null) and (item_type = 'THREAD') = (thread_id is not null))
);
create unique index annotation_queue_items_run on annotation_queue_items (queue_id, workspace_id, run_id)
  where run_id is not null;
create unique index annotation_queue_items_thread
  on annotation_queue_items (queue_id, workspace_id, session_id, thread_id) where thread_id is not null;
create index annotation_queue_items_order on annotation_queue_items (queue_id, workspace_id, added_at, id);
create index annotation_queue_items_of_run on annotation_queue_items (run_id, workspace_id) where run_id is not null;

create table annotation_queue_reviews (
  workspace_id uuid not null,
  item_id uuid not null,
  reviewer_id uuid not null,
  status text not null check (status in ('viewed', 'completed')),
  override_added_at timestamptz,
  updated_at timestamptz not null,
  primary key (item_id, workspace_id, reviewer_id),
  foreign key (item_id, workspace_id) references annotation_queue_items on delete cascade
);
`,
};
