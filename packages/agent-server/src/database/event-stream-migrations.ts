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
