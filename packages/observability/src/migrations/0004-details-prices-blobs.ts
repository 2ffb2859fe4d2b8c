import type { Migration } from '@roadstead/postgres';

/**
 * Details of tokens and costs, the prices of models, and attachments outside the database. `model` is the model as
 * the run names it, so that a price can also be looked up later. `blob_references` lists every reference to a blob: a
 * blob without one is collected. `added` adds maps of numbers, name by name. A row of `price_applications` says how
 * far the prices of a workspace were applied to the runs that are stored.
 */
export const detailsPricesBlobs: Migration = {
  id: 4,
  name: 'details of tokens and costs, prices, attachments in blobs',
  sql: `
alter table runs
  add column prompt_token_details jsonb, add column completion_token_details jsonb,
  add column prompt_cost_details jsonb, add column completion_cost_details jsonb,
  add column price_model_id uuid, add column model jsonb;

alter table traces
  add column prompt_token_details jsonb, add column completion_token_details jsonb,
  add column prompt_cost_details jsonb, add column completion_cost_details jsonb;

create function added(a jsonb, b jsonb) returns jsonb language sql immutable return
  case when a is null then b when b is null then a else (
    select jsonb_object_agg(key, amount) from (
      select key, sum(value::numeric) as amount
      from (select * from jsonb_each_text(a) union all select * from jsonb_each_text(b)) one group by key
    ) sums
  ) end;

create table model_prices (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  start_time timestamptz,
  match_path text[] not null,
  match_pattern text not null,
  provider text,
  prompt_cost numeric not null,
  completion_cost numeric not null,
  prompt_cost_details jsonb,
  completion_cost_details jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, id)
);

create table price_applications (
  workspace_id uuid primary key,
  id uuid not null,
  requested_at timestamptz not null default now(),
  finished_at timestamptz,
  tier text,
  week date,
  run_id uuid,
  runs_seen bigint not null default 0,
  runs_changed bigint not null default 0
);

create table blobs (
  digest text primary key,
  size bigint not null,
  put_at timestamptz not null default now()
);

alter table attachments alter column content drop not null, add column digest text, add column size bigint;
create index attachments_digest on attachments (digest);
create index attachments_unmoved on attachments (received_at) where content is not null;

create view blob_references as select digest from attachments where digest is not null;
`,
};
