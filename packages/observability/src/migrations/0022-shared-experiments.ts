import type { Migration } from '@roadstead/postgres';

/** Whether the link to a dataset leads to its experiments, too. */
export const sharedExperiments: Migration = {
  id: 22,
  name: 'shared experiments',
  sql: 'alter table datasets add column experiments_shared boolean not null default false;',
};
