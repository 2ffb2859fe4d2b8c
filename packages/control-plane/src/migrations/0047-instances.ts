import type { Migration } from '@roadstead/postgres';

/** Instances of a listener, each with a lease of its own, and which of them has which deployment. */
export const instances: Migration = {
  id: 47,
  name: 'instances of listeners',
  // The name of the only instance of a listener is empty. What the present holder of a lease has, it keeps.
  sql: `
    create table listener_instances (
      listener_id uuid not null references listeners on delete cascade,
      name text not null,
      fence bigint not null,
      address text,
      is_draining boolean not null default false,
      lease_expires_at timestamptz not null,
      primary key (listener_id, name)
    );
    insert into listener_instances (listener_id, name, fence, lease_expires_at)
      select id, '', fence, lease_expires_at from listeners where lease_expires_at is not null;
    alter table assignments
      add column instance text,
      add column fence bigint not null default 0,
      add column next_instance text,
      add column is_next_ready boolean not null default false;
    update assignments a set instance = '', fence = i.fence
      from listener_instances i where i.listener_id = a.listener_id;
    create index assignments_unheld on assignments (listener_id) where instance is null;
  `,
};
