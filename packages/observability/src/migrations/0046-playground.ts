import type { Migration } from '@roadstead/postgres';

/**
 * Providers of models with the keys of workspaces, sealed; and experiments that the playground runs, with a row for
 * each call of a model. A call's run has its id from the beginning, so that a call that is repeated after a kill is no
 * second run.
 */
export const playground: Migration = {
  id: 46,
  name: 'playground',
  sql: `
create table model_providers (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  kind text not null check (kind in ('openai', 'anthropic', 'google')),
  base_url text not null,
  sealed_key text,
  models text[] not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id)
);
create unique index model_providers_name on model_providers (workspace_id, name);

create table playground_experiments (
  workspace_id uuid not null,
  -- That of the project.
  id uuid not null,
  dataset_id uuid not null,
  -- The version of the dataset; null: it has none yet.
  as_of timestamptz,
  model_provider_id uuid not null,
  model text not null,
  -- JSON: the template of messages, the parameters and the metadata of runs.
  asked text not null,
  status text not null check (status in ('running', 'done', 'cancelled')),
  last_error text,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (workspace_id, id),
  foreign key (workspace_id, id) references sessions on delete cascade
);

create table playground_calls (
  workspace_id uuid not null,
  experiment_id uuid not null,
  run_id uuid not null,
  example_id uuid not null,
  repetition integer not null,
  state text not null check (state in ('waiting', 'done', 'failed', 'cancelled')),
  attempts integer not null default 0,
  -- Who makes the call now, until it is due again.
  claim uuid,
  due_at timestamptz not null default now(),
  primary key (workspace_id, experiment_id, run_id),
  unique (workspace_id, experiment_id, example_id, repetition),
  foreign key (workspace_id, experiment_id) references playground_experiments on delete cascade
);
create index playground_calls_waiting on playground_calls (workspace_id, experiment_id, due_at) where state = 'waiting';
create index playground_calls_due on playground_calls (due_at) where state = 'waiting';
`,
};
