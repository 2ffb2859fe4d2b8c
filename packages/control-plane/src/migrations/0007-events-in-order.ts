import type { Migration } from '@roadstead/postgres';

export const eventsInOrder: Migration = {
  id: 7,
  name: 'events numbered in the order of their commits',
  sql: `
    -- Drawn when the event is published, by one process at a time, from committed rows only: whoever has read up to a
    -- number has missed none before it. An id is drawn within the transaction, and may become visible late.
    alter table events add column seq bigint;
    update events set seq = id;
    create sequence event_seq;
    select setval('event_seq', coalesce(max(seq), 0) + 1, false) from events;
    create unique index events_by_seq on events (seq);
    create index events_unpublished on events (id) where seq is null;
    create index events_by_workspace_in_order on events (workspace_id, seq desc);
    create index events_by_deployment_in_order on events (deployment_id, seq desc);
    drop index events_by_workspace;
    drop index events_by_deployment;
  `,
};
