import type { Migration } from '@roadstead/postgres';

/** Who began an experiment. */
export const kickedOffBy: Migration = {
  id: 23,
  name: 'kicked off by',
  sql: 'alter table sessions add column kicked_off_by text;',
};
