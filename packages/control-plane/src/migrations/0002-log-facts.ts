import type { Migration } from '@roadstead/postgres';

/** The facts of a chunk that are known without unpacking it; null for earlier chunks. */
export const logFacts: Migration = {
  id: 2,
  name: 'levels and times of log chunks',
  sql: `
    alter table log_chunks
      add column first_at timestamptz,
      add column last_at timestamptz,
      add column levels text[];
  `,
};
