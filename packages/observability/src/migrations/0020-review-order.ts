import type { Migration } from '@roadstead/postgres';

/** The first reservation holds, however often it is renewed; and an item may be put off without a status. */
export const reviewOrder: Migration = {
  id: 20,
  name: 'review order',
  sql: `
alter table annotation_queue_reviews
  alter column status drop not null,
  add column reserved_at timestamptz;
create index annotation_queue_items_session on annotation_queue_items (session_id, workspace_id);
`,
};
