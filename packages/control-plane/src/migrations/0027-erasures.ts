import type { Migration } from '@roadstead/postgres';

export const erasures: Migration = {
  id: 27,
  name: 'blobs of workspaces that are erased',
  sql: `
    -- What a workspace that is being erased named; they go when nothing else names them.
    create table erased_blobs (
      workspace_id text not null,
      digest text not null,
      primary key (workspace_id, digest)
    );
  `,
};
