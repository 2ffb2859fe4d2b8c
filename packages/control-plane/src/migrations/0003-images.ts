import type { Migration } from '@roadstead/postgres';

export const images: Migration = {
  id: 3,
  name: 'artifacts that are images, and what listeners can run',
  sql: `
    -- An image by its digest; a revision has this, an artifact_digest, or neither.
    alter table revisions add column artifact_image text;
    update listeners set capabilities = '{archive}' where capabilities = '{internal_source}';
  `,
};
