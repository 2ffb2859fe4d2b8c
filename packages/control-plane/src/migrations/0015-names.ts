import type { Migration } from '@roadstead/kit';

export const names: Migration = {
  id: 15,
  name: 'how people call a deployment, and how clients call its source',
  // Null where no client said: then it is called as we call it.
  sql: 'alter table deployments add column display_name text, add column source_name text',
};
