import type { Migration } from '@roadstead/postgres';

export const names: Migration = {
  id: 15,
  name: 'how people call a deployment, and how clients call its source',
  // Null where no client gave a name: then our own name is used.
  sql: 'alter table deployments add column display_name text, add column source_name text',
};
