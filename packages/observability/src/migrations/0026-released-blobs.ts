import type { Migration } from '@roadstead/kit';

/** Blobs that were named by what is deleted: nothing else may name them, and then they go with it. */
export const releasedBlobs: Migration = {
  id: 26,
  name: 'released blobs',
  sql: 'create table released_blobs (digest text not null);',
};
