import type { Migration } from '@roadstead/postgres';

/** The table of an outbox, as one step of the schema of the service that has it. */
export const outboxMigration = (id: number): Migration => ({
  id,
  name: 'outbox',
  sql: `
    create table outbox_messages (
      id uuid primary key,
      destination text not null,
      body text not null,
      state text not null default 'waiting' check (state in ('waiting', 'delivered', 'dead')),
      attempts integer not null default 0,
      due_at timestamptz not null default now(),
      claim uuid,
      error text,
      created_at timestamptz not null default now(),
      ended_at timestamptz
    );
    create index outbox_messages_due on outbox_messages (due_at) where state = 'waiting';
    create index outbox_messages_ended on outbox_messages (ended_at) where state <> 'waiting';
  `,
});

/** The owner that a message counts for. Earlier messages have no owner, and take turns as one. */
export const outboxOwnersMigration = (id: number): Migration => ({
  id,
  name: 'owners of messages',
  sql: `
    alter table outbox_messages
      add column workspace_id text not null default '', add column receiver text not null default '';
    create index outbox_messages_in_turns on outbox_messages (workspace_id, receiver, due_at) where state = 'waiting';
    drop index outbox_messages_due;
  `,
});

/** As long as few messages are due, all of them are listed, whoever owns them. */
export const outboxDueMigration = (id: number): Migration => ({
  id,
  name: 'messages that are due',
  sql: `create index outbox_messages_due on outbox_messages (due_at) where state = 'waiting'`,
});
