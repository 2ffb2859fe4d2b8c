import type { Migration } from '@roadstead/postgres';

/**
 * Datasets and their examples. A row of `examples` is one state of an example, from the version `valid_from` on until
 * the version `valid_to`; an example without a valid state is deleted. A version is the instant of a change, and
 * every change of a dataset's examples makes one. `position` keeps the order in which examples were created.
 */
export const datasets: Migration = {
  id: 6,
  name: 'datasets',
  sql: `
create table datasets (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  description text,
  data_type text not null check (data_type in ('kv', 'llm', 'chat')),
  inputs_schema_definition json,
  outputs_schema_definition json,
  transformations json,
  metadata jsonb,
  externally_managed boolean not null default false,
  baseline_experiment_id uuid,
  example_count integer not null default 0,
  created_at timestamptz not null,
  modified_at timestamptz not null,
  latest_as_of timestamptz,
  deleted_at timestamptz,
  primary key (workspace_id, id)
);
create unique index datasets_name on datasets (workspace_id, name) where deleted_at is null;
create index datasets_deleted on datasets (deleted_at) where deleted_at is not null;

create table dataset_versions (
  workspace_id uuid not null,
  dataset_id uuid not null,
  as_of timestamptz not null,
  primary key (workspace_id, dataset_id, as_of)
);

create table dataset_tags (
  workspace_id uuid not null,
  dataset_id uuid not null,
  tag text not null,
  as_of timestamptz not null,
  primary key (workspace_id, dataset_id, tag)
);

create sequence example_positions;
create table examples (
  workspace_id uuid not null,
  example_id uuid not null,
  dataset_id uuid not null,
  valid_from timestamptz not null,
  valid_to timestamptz,
  created_at timestamptz not null,
  source_run_id uuid,
  position bigint not null default nextval('traces.example_positions'),
  metadata jsonb,
  inputs bytea not null,
  outputs bytea,
  words tsvector,
  primary key (workspace_id, example_id, valid_from)
);
alter table examples alter column inputs set storage external, alter column outputs set storage external;
create unique index examples_current on examples (workspace_id, example_id) where valid_to is null;
create index examples_listed on examples (workspace_id, dataset_id, valid_from desc, position) where valid_to is null;
create index examples_history on examples (workspace_id, dataset_id, valid_from desc, position);
create index examples_closed on examples (workspace_id, dataset_id, valid_to) where valid_to is not null;
create index examples_run on examples (source_run_id) where source_run_id is not null;
create index examples_metadata on examples using gin (metadata jsonb_path_ops);
create index examples_words on examples using gin (words);

create table example_attachments (
  workspace_id uuid not null,
  example_id uuid not null,
  valid_from timestamptz not null,
  name text not null,
  content_type text not null,
  digest text not null,
  size bigint not null,
  primary key (workspace_id, example_id, valid_from, name),
  foreign key (workspace_id, example_id, valid_from) references examples on delete cascade
);
create index example_attachments_digest on example_attachments (digest);
create or replace view blob_references as
  select digest from attachments where digest is not null
  union all select digest from example_attachments;

create index if not exists sessions_reference on sessions (workspace_id, reference_dataset_id)
  where reference_dataset_id is not null;
`,
};
