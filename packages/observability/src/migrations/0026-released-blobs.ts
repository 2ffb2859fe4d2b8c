import type { Migration } from '@roadstead/postgres';

/** Blobs that deleted rows named: unless something else names them, they are removed as well. */
export const releasedBlobs: Migration = {
  id: 26,
  name: 'released blobs',
  sql: 'create table released_blobs (digest text not null);',
};
