import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { queryInt, Timestamp, Uuid } from '../values/query-values.ts';
import { WellFormedText } from '../values/well-formed-text.ts';
import { mounts } from './deployments.ts';
import { EventKind } from './events.ts';

/** Addresses that receive events, following Standard Webhooks */

export const Webhook = z
  .object({
    id: Uuid,
    url: WellFormedText,
    /** Prefixes of kinds; empty: all. */
    kinds: z.array(WellFormedText),
    /** Null: the events of all deployments, and those of none. */
    deployment_id: Uuid.nullable(),
    enabled: z.boolean(),
    /** The reason why it was disabled, unless a caller did it. */
    disabled_reason: WellFormedText.nullable(),
    /** Tries that failed since the last one that was taken. */
    failures: z.number(),
    last_error: WellFormedText.nullable(),
    last_delivered_at: Timestamp.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.output<typeof Webhook>;

/** The secret with which a receiver verifies, `whsec_…`. */
const WebhookWithSecret = Webhook.extend({ secret: WellFormedText });

export const WebhookDelivery = z
  .object({
    id: Uuid,
    event_id: WellFormedText,
    kind: WellFormedText,
    state: z.enum(['waiting', 'delivered', 'dead']),
    attempts: z.number(),
    error: WellFormedText.nullable(),
    created_at: Timestamp,
    /** When it is tried again. */
    due_at: Timestamp.nullable(),
    ended_at: Timestamp.nullable(),
  })
  .meta({ id: 'WebhookDelivery' });
export type WebhookDelivery = z.output<typeof WebhookDelivery>;

const MAX_KINDS = 50;
const fields = {
  url: WellFormedText.min(1).max(2000),
  kinds: z.array(EventKind).max(MAX_KINDS),
  deployment_id: Uuid.nullable(),
  enabled: z.boolean(),
};
const params = z.object({ webhook_id: Uuid });
const page = z.object({
  page_size: queryInt({ min: 1, max: 100, fallback: 20 }),
  cursor: WellFormedText.optional(),
});
const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), next_cursor: WellFormedText.nullable() });
const read = { access: 'deployments:read', mounts } as const;
const admin = { access: 'deployments:admin', mounts } as const;

export const webhooks = {
  listWebhooks: endpoint({
    ...read,
    method: 'GET',
    path: '/v2/webhooks',
    summary: 'List the webhooks of the workspace, the oldest first',
    query: page,
    success: { status: 200, body: pageOf(Webhook) },
    example: { query: { page_size: '50' } },
  }),
  createWebhook: endpoint({
    ...admin,
    method: 'POST',
    path: '/v2/webhooks',
    summary: 'Have events sent to an address; the secret that signs them is in this answer only',
    body: z.object({
      url: fields.url,
      kinds: fields.kinds.nullish(),
      deployment_id: fields.deployment_id.optional(),
      enabled: fields.enabled.nullish(),
    }),
    success: { status: 201, body: WebhookWithSecret },
    example: { body: { url: 'https://receiver.example/roadstead', kinds: ['revision.status'] } },
  }),
  readWebhook: endpoint({
    ...read,
    method: 'GET',
    path: '/v2/webhooks/{webhook_id}',
    summary: 'Read a webhook',
    params,
    success: { status: 200, body: Webhook },
  }),
  patchWebhook: endpoint({
    ...admin,
    method: 'PATCH',
    path: '/v2/webhooks/{webhook_id}',
    summary: 'Change a webhook; `enabled` true resets the count of failures',
    params,
    body: z.object(fields).partial(),
    success: { status: 200, body: Webhook },
    example: { body: { kinds: ['deployment', 'revision'] } },
  }),
  deleteWebhook: endpoint({
    ...admin,
    method: 'DELETE',
    path: '/v2/webhooks/{webhook_id}',
    summary: 'Remove a webhook; its pending deliveries are not sent',
    params,
    success: { status: 204 },
  }),
  rotateWebhookSecret: endpoint({
    ...admin,
    method: 'POST',
    path: '/v2/webhooks/{webhook_id}/rotate-secret',
    summary: 'Draw a new secret; for a day messages are signed with the earlier one too',
    params,
    success: { status: 200, body: WebhookWithSecret },
  }),
  testWebhook: endpoint({
    ...admin,
    method: 'POST',
    path: '/v2/webhooks/{webhook_id}/test',
    summary: 'Send an event of kind `webhook.test` to this webhook only',
    errors: [409],
    params,
    success: { status: 202, body: WebhookDelivery },
  }),
  listWebhookDeliveries: endpoint({
    ...read,
    method: 'GET',
    path: '/v2/webhooks/{webhook_id}/deliveries',
    summary: 'What was sent to a webhook in the last 30 days or waits for it, the newest first',
    params,
    query: page,
    success: { status: 200, body: pageOf(WebhookDelivery) },
    example: { query: { page_size: '50' } },
  }),
};
