import type { Migration } from '@roadstead/postgres';

/** Items that expire, and items that are found by meaning. */
export const storeMigration: Migration = {
  id: 5,
  name: 'store vectors and expiry',
  sql: `
    alter table store add column ttl_minutes double precision, add column expires_at timestamptz;
    create index store_by_expiry on store (expires_at) where expires_at is not null;
    create table store_vectors (
      prefix text not null,
      key text not null,
      path text not null,
      vector bytea not null,
      primary key (prefix, key, path),
      foreign key (prefix, key) references store (prefix, key) on delete cascade
    );
    -- Numbers do not compress.
    alter table store_vectors alter column vector set storage external;

    alter table threads add column pruned_at timestamptz;
    create index threads_by_expiry on threads (expires_at) where expires_at is not null;
    create index tasks_by_thread on tasks (thread_id);
    create index contexts_by_thread on contexts (thread_id);
  `,
};
