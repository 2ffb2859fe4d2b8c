import type { Migration } from '@roadstead/postgres';

export const resourceLimits: Migration = {
  id: 9,
  name: 'how listeners limit memory and CPU',
  sql: `alter table listeners add column resource_limits text not null default 'none'`,
};
