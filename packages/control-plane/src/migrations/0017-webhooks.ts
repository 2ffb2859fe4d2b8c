import type { Migration } from '@roadstead/postgres';
import { outboxMigration } from '@roadstead/outbound';

const outbox = outboxMigration(17);

export const webhooks: Migration = {
  ...outbox,
  name: 'webhooks',
  sql: `
    ${outbox.sql}
    -- Named after workspace, webhook and event.
    create index outbox_messages_by_destination on outbox_messages (destination text_pattern_ops);

    create table webhooks (
      id uuid primary key,
      workspace_id text not null,
      url text not null,
      -- Beginnings of kinds; empty: all.
      kinds text[] not null,
      -- No foreign key: it outlives what it was for.
      deployment_id uuid,
      enabled boolean not null,
      disabled_reason text,
      failures integer not null default 0,
      failing_since timestamptz,
      last_error text,
      last_delivered_at timestamptz,
      secret_sealed text not null,
      earlier_secret_sealed text,
      earlier_secret_until timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    );
    create index webhooks_by_workspace on webhooks (workspace_id, id);
  `,
};
