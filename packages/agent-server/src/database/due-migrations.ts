import type { Migration } from '@roadstead/postgres';

/** Work that has its time: runs of crons, calls of webhooks, push notifications. */
export const dueMigration: Migration = {
  id: 6,
  name: 'crons, webhooks and push notifications',
  sql: `
    create table crons (
      cron_id uuid primary key,
      assistant_id uuid not null,
      thread_id uuid references threads on delete cascade,
      principal text not null,
      auth_user jsonb,
      schedule text not null,
      timezone text,
      end_time timestamptz,
      enabled boolean not null,
      on_run_completed text not null,
      payload jsonb not null,
      metadata jsonb not null,
      -- Null where no run follows. The id is drawn with the date: a run that is begun twice is one.
      next_run_date timestamptz,
      next_run_id uuid,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    );
    create index crons_due on crons (next_run_date) where next_run_date is not null;
    create index crons_by_thread on crons (thread_id) where thread_id is not null;
    create index crons_by_assistant on crons (assistant_id);

    -- One row a run that has ended and whose client named a webhook, with what it is told.
    create table webhook_calls (
      run_id uuid primary key,
      url text not null,
      run jsonb not null,
      "values" jsonb,
      -- Its first event, and its last.
      started jsonb,
      ended jsonb,
      state text not null default 'waiting' check (state in ('waiting', 'delivered', 'dead')),
      attempts integer not null default 0,
      due_at timestamptz not null default now(),
      error text,
      ended_at timestamptz
    );
    create index webhook_calls_due on webhook_calls (due_at) where state = 'waiting';
    create index webhook_calls_ended on webhook_calls (ended_at) where state <> 'waiting';

    -- Within the commit that ends the run, whichever statement that is, so that no end goes untold.
    create function call_webhook() returns trigger language plpgsql set search_path from current as $$
    begin
      insert into webhook_calls (run_id, url, run, "values", started, ended)
      select new.run_id, new.kwargs ->> 'webhook', to_jsonb(new),
        (select threads."values" from threads where threads.thread_id = new.thread_id and not threads.values_stale),
        (select run_events.events -> 0 from run_events where run_events.run_id = new.run_id order by seq limit 1),
        (select run_events.events -> -1 from run_events where run_events.run_id = new.run_id order by seq desc limit 1)
      on conflict do nothing;
      return null;
    end $$;
    create trigger call_webhook after update of status on runs for each row
      when (new.status not in ('pending', 'running') and new.kwargs ->> 'webhook' is not null)
      execute function call_webhook();

    create table push_configs (
      task_id uuid not null references tasks on delete cascade,
      config_id text not null,
      principal text not null,
      assistant_id uuid not null,
      -- The protocol in which it was registered is the one in which it is told.
      version text not null,
      url text not null,
      -- Sealed: token and credentials.
      secrets text,
      scheme text,
      -- The sequence of the last event that was taken.
      seq integer not null,
      -- Open until all is told of a task that has ended; dead once it was tried in vain for days.
      state text not null default 'open' check (state in ('open', 'done', 'dead')),
      attempts integer not null default 0,
      due_at timestamptz,
      error text,
      created_at timestamptz not null default now(),
      primary key (task_id, config_id)
    );
    create index push_configs_due on push_configs (due_at) where state = 'open';
  `,
};

export const cronMarksMigration: Migration = {
  id: 21,
  name: 'marks of crons',
  sql: `
    -- What the deployment's own auth has marked the runs of a cron and their threads with.
    alter table crons add column marks jsonb not null default '{}';
  `,
};

/** A notification that was sent and not recorded is sent again as it was. */
export const pushSendingMigration: Migration = {
  id: 24,
  name: 'push notifications are repeated as they were',
  sql: 'alter table push_configs add column sending integer',
};

/** Due work is listed so that callers take turns, and so do the receivers of one caller. */
export const turnsMigration: Migration = {
  id: 40,
  name: 'turns of what is due',
  sql: `
    -- Plain columns with a constant: a generated one would write the whole table anew before anything is served.
    alter table runs add column webhook_receiver text;
    alter table webhook_calls
      add column principal text not null default '', add column receiver text not null default '';
    -- Of calls that waited before no host is known: they take turns as one.
    update webhook_calls set principal = coalesce(run ->> 'principal', '') where state = 'waiting';
    create or replace function call_webhook() returns trigger language plpgsql set search_path from current as $$
    begin
      insert into webhook_calls (run_id, url, principal, receiver, run, "values", started, ended)
      select new.run_id, new.kwargs ->> 'webhook', coalesce(new.principal, ''), coalesce(new.webhook_receiver, ''),
        to_jsonb(new) - 'webhook_receiver',
        (select threads."values" from threads where threads.thread_id = new.thread_id and not threads.values_stale),
        (select run_events.events -> 0 from run_events where run_events.run_id = new.run_id order by seq limit 1),
        (select run_events.events -> -1 from run_events where run_events.run_id = new.run_id order by seq desc limit 1)
      on conflict do nothing;
      return null;
    end $$;
    create index webhook_calls_in_turns on webhook_calls (principal, receiver, due_at) where state = 'waiting';
    create index crons_in_turns on crons (principal, next_run_date) where next_run_date is not null;
  `,
};
