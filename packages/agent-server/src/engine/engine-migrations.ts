import type { Migration } from '@roadstead/kit';

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
];

/** The schema of a deployment's own tables. */
export const ENGINE_SCHEMA = 'agent';
