import type { Migration } from '@roadstead/postgres';

/** Pages of tasks by the time of their status, and the ids of answers. */
export const taskMigration: Migration = {
  id: 9,
  name: 'task pages and answers',
  sql: `
    update tasks set status_at = (status ->> 'at')::timestamptz where status_at is null;
    -- Pages of a state and counts read the index alone.
    drop index tasks_by_status_time;
    create index tasks_by_status_time on tasks (principal, assistant_id, status_at desc, task_id) include (state);

    -- The messages that went on with a task; those that began one stand with it.
    create table task_answers (
      principal text not null,
      assistant_id uuid not null,
      message_id text not null,
      task_id uuid not null references tasks on delete cascade,
      primary key (principal, assistant_id, message_id)
    );
    create index task_answers_by_task on task_answers (task_id);
  `,
};

/** Columns and indexes that searches and pages read instead of rows. */
export const searchMigration: Migration = {
  id: 22,
  name: 'searches',
  sql: `
    -- Pages of tasks under a filter of threads find the threads here.
    drop index tasks_by_status_time;
    create index tasks_by_status_time on tasks (principal, assistant_id, status_at desc, task_id) include (state, thread_id);

    -- Threads that runs make for themselves alone are never looked for.
    drop index threads_by_hour;
    create index threads_by_hour on threads (updated_hour) where not temporary;
    drop index threads_by_metadata;
    create index threads_by_metadata on threads using gin (metadata jsonb_path_ops) where not temporary;
    -- Few wait or have failed; those that are idle do not come in here.
    create index threads_not_idle on threads (status, updated_hour) where status <> 'idle' and not temporary;

    create index store_by_update on store (updated_at desc, prefix, key);
  `,
};

/** Indexes that find what runs leave behind without scanning what stays. */
export const leftoverMigration: Migration = {
  id: 23,
  name: 'threads of runs alone',
  sql: `create index threads_temporary on threads (thread_id) where temporary`,
};
