import type { Migration } from '@roadstead/postgres';

/**
 * Alerts and the log of their states. `condition` is what the evaluations come to, `state` what is shown of it, and
 * `told` the last state that the channels were told. While an alert is being evaluated, its `due_at` is when that is
 * given up.
 */
export const alerts: Migration = {
  id: 47,
  name: 'alerts',
  sql: `
create table alerts (
  workspace_id uuid not null,
  id uuid not null,
  definition jsonb not null,
  webhooks jsonb not null,
  is_enabled boolean not null,
  muted_until timestamptz,
  condition text not null default 'ok' check (condition in ('ok', 'firing', 'no_data')),
  streak integer not null default 0,
  state text not null default 'ok' check (state in ('ok', 'firing', 'no_data', 'silenced')),
  told text not null default 'ok' check (told in ('ok', 'firing', 'no_data')),
  state_since timestamptz not null,
  value double precision,
  problem text,
  evaluated_at timestamptz,
  due_at timestamptz not null,
  claim uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id)
);
create index alerts_in_turns on alerts (workspace_id, due_at) where is_enabled;
create index alerts_due on alerts (due_at) where is_enabled;

create table alert_log (
  workspace_id uuid not null,
  alert_id uuid not null,
  id uuid not null,
  at timestamptz not null,
  kind text not null check (kind in ('transition', 'test')),
  from_state text not null,
  to_state text not null,
  value double precision,
  notified boolean not null,
  deliveries jsonb not null,
  primary key (workspace_id, alert_id, id),
  foreign key (workspace_id, alert_id) references alerts on delete cascade
);
create index alert_log_at on alert_log (at);
`,
};
