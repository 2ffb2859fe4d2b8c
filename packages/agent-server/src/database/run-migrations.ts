import type { Migration } from '@roadstead/postgres';

/** Makes the numbers of events rise from run to run. */
export const eventStreamMigration: Migration = {
  id: 20,
  name: 'run-numbers',
  sql: `
    -- A run gets its number when its events are first told; rows outlive runs that are rolled back.
    create table run_numbers (
      thread_id uuid not null references threads on delete cascade,
      number integer not null,
      run_id uuid not null,
      primary key (thread_id, number),
      unique (thread_id, run_id)
    );
  `,
};

/** Records what a run changed, so that it can be rolled back. */
export const rollbackMigration: Migration = {
  id: 27,
  name: 'answers that are rolled back, order of writes',
  sql: `
    -- Where a write of a step belongs among the others, as LangGraph's own savers keep it.
    alter table checkpoint_writes add column task_path text not null default '',
      -- Which run wrote it, at its own checkpoint or at that of a run before, and what it replaced there.
      add column run_id uuid,
      add column former bytea,
      add column former_type text;

    -- What a run that answers a task found: the questions of its thread, and how the task stood.
    alter table runs add column found jsonb;
  `,
};
