import type { Migration } from '@roadstead/postgres';
import { storeMigration } from './store-migrations.ts';
import { cronMarksMigration, dueMigration, pushSendingMigration, turnsMigration } from './due-migrations.ts';
import { eventStreamMigration, rollbackMigration } from './run-migrations.ts';
import { leftoverMigration, searchMigration, taskMigration } from './search-migrations.ts';
import { statisticsMigration, upkeepMigration } from './upkeep-migrations.ts';

/**
 * A deployment's own tables. The four `checkpoint*` tables have the stock layout of
 * `@langchain/langgraph-checkpoint-postgres`, so that its users can bring and take their data.
 */
export const engineMigrations: readonly Migration[] = [
  {
    id: 1,
    name: 'engine',
    sql: `
      -- Each opening of the database raises the epoch; an engine whose epoch has passed can begin and end nothing.
      create table engine (single boolean primary key default true check (single), epoch bigint not null);
      insert into engine (epoch) values (0);

      create table contexts (
        principal text not null,
        assistant_id uuid not null,
        context_id text not null,
        thread_id uuid not null,
        created_at timestamptz not null default now(),
        primary key (principal, assistant_id, context_id)
      );

      create table threads (
        thread_id uuid primary key,
        assistant_id uuid not null,
        graph_id text not null,
        has_checkpoint boolean not null default false,
        interrupts jsonb not null default '[]',
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now()
      );

      create table runs (
        run_id uuid primary key,
        thread_id uuid not null,
        task_id uuid not null,
        assistant_id uuid not null,
        graph_id text not null,
        revision_id uuid not null,
        attempt integer not null,
        status text not null,
        input jsonb,
        resume jsonb,
        chunks boolean not null,
        metadata jsonb not null,
        error jsonb,
        created_at timestamptz not null default now(),
        ended_at timestamptz
      );
      create index runs_by_thread on runs (thread_id, created_at);

      -- Every unfinished run, in order. Small: a row lives as long as its run.
      create table queue (
        run_id uuid primary key,
        position bigint generated always as identity
      );

      create table tasks (
        task_id uuid primary key,
        principal text not null,
        assistant_id uuid not null,
        context_id text not null,
        thread_id uuid not null,
        run_id uuid not null,
        context_key text not null,
        message_id text not null,
        state text not null,
        status jsonb not null,
        history jsonb not null,
        artifacts jsonb not null,
        seq integer not null,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now()
      );
      create unique index tasks_by_message on tasks (principal, assistant_id, context_key, message_id);

      create table task_events (
        task_id uuid not null,
        seq integer not null,
        event jsonb not null,
        at timestamptz not null default now(),
        primary key (task_id, seq)
      );

      create table checkpoints (
        thread_id text not null,
        checkpoint_ns text not null default '',
        checkpoint_id text not null,
        parent_checkpoint_id text,
        type text,
        checkpoint jsonb not null,
        metadata jsonb not null default '{}',
        primary key (thread_id, checkpoint_ns, checkpoint_id)
      );
      create table checkpoint_blobs (
        thread_id text not null,
        checkpoint_ns text not null default '',
        channel text not null,
        version text not null,
        type text not null,
        blob bytea,
        primary key (thread_id, checkpoint_ns, channel, version)
      );
      create table checkpoint_writes (
        thread_id text not null,
        checkpoint_ns text not null default '',
        checkpoint_id text not null,
        task_id text not null,
        idx integer not null,
        channel text not null,
        type text,
        blob bytea not null,
        primary key (thread_id, checkpoint_ns, checkpoint_id, task_id, idx)
      );
      create table checkpoint_migrations (v integer primary key);
      insert into checkpoint_migrations (v) select generate_series(0, 4);

      create table store (
        prefix text not null,
        key text not null,
        value jsonb not null,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        primary key (prefix, key)
      );

      -- Hot tables: vacuumed by count, not by share, so that dead entries never pile up.
      alter table threads set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, fillfactor = 80);
      alter table runs set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, fillfactor = 80);
      alter table tasks set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, fillfactor = 80);
      alter table queue set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
    `,
  },
  {
    id: 2,
    name: 'store by prefix',
    sql: `create index store_by_prefix on store (prefix text_pattern_ops)`,
  },
  {
    id: 3,
    name: 'runs without tasks',
    sql: `
      create table assistants (
        assistant_id uuid primary key,
        graph_id text not null,
        name text not null,
        description text,
        config jsonb not null default '{}',
        context jsonb not null default '{}',
        metadata jsonb not null default '{}',
        version integer not null default 1,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now()
      );
      create table assistant_versions (
        assistant_id uuid not null,
        version integer not null,
        graph_id text not null,
        name text not null,
        description text,
        config jsonb not null,
        context jsonb not null,
        metadata jsonb not null,
        created_at timestamptz not null default now(),
        primary key (assistant_id, version)
      );

      alter table threads
        alter column assistant_id drop not null,
        alter column graph_id drop not null,
        add column metadata jsonb not null default '{}',
        add column config jsonb not null default '{}',
        -- How its last run left it: idle, interrupted or error. It is busy while a run of it stands in the queue.
        add column status text not null default 'idle',
        add column error jsonb,
        -- The state as clients see it; stale where the last run did not bring it.
        add column values jsonb,
        add column values_stale boolean not null default true,
        add column state_updated_at timestamptz,
        -- Goes when its run has ended.
        add column temporary boolean not null default false,
        add column ttl_strategy text,
        add column ttl_minutes double precision,
        add column expires_at timestamptz;
      create index threads_by_update on threads (updated_at desc, thread_id);
      create index threads_by_metadata on threads using gin (metadata jsonb_path_ops);

      alter table runs
        alter column task_id drop not null,
        add column principal text not null default '',
        add column auth_user jsonb,
        -- What the client asked, but for its input, command and answer.
        add column kwargs jsonb not null default '{}',
        add column command jsonb,
        add column plain boolean not null default true,
        add column wants_values boolean not null default false,
        add column multitask_strategy text not null default 'enqueue',
        add column not_before timestamptz,
        -- How a client wants it ended; carried out by whoever has the engine.
        add column cancel jsonb,
        add column traceparent text,
        -- The number of its last event before it began: a run that resumes a task goes on with the task's count.
        add column seq_before integer not null default 1,
        add column updated_at timestamptz not null default now();
      create index runs_by_task on runs (task_id, created_at) where task_id is not null;

      -- What a run told, some events a row; the row's number is that of its last event.
      create table run_events (
        run_id uuid not null,
        seq integer not null,
        events jsonb not null,
        primary key (run_id, seq)
      );

      alter table tasks add column digest text, add column status_at timestamptz;
      create index tasks_by_status_time on tasks (principal, assistant_id, status_at desc, task_id);
      create index tasks_by_context on tasks (context_id, status_at desc);
    `,
  },
  storeMigration,
  dueMigration,
  taskMigration,
  {
    id: 10,
    name: 'card-key',
    sql: `
      -- What signs the deployment's agent cards.
      create table card_key (
        single boolean primary key default true check (single),
        private_key jsonb not null,
        created_at timestamptz not null default now()
      );
    `,
  },
  {
    id: 12,
    name: 'rolled back runs, threads by hour',
    sql: `
      -- Empty but between the end of such a run and its removal.
      create index runs_rolled_back on runs (run_id) where cancel ->> 'action' = 'rollback';

      -- The end of a run changes no column of its thread that is indexed, unless an hour has begun: it costs no new entry in
      -- any index. Whoever sorts by the time sorts by the hour first.
      alter table threads add column updated_hour timestamp not null
        generated always as (date_trunc('hour', updated_at at time zone 'UTC')) stored;
      drop index threads_by_update;
      create index threads_by_hour on threads (updated_hour);
    `,
  },
  eventStreamMigration,
  cronMarksMigration,
  searchMigration,
  leftoverMigration,
  pushSendingMigration,
  upkeepMigration,
  statisticsMigration,
  rollbackMigration,
  turnsMigration,
];

/** The schema of a deployment's own tables. */
export const ENGINE_SCHEMA = 'agent';
