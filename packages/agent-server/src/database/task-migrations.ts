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
