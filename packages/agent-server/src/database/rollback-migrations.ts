import type { Migration } from '@roadstead/postgres';

/** What a run leaves to be restored when it is rolled back. */
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
