import { randomBytes } from 'node:crypto';
import type { Webhook } from '@roadstead/contracts/control-plane';
import { Problem, type SecretBox, uuidv7 } from '@roadstead/kit';
import type { Database, Transaction } from '@roadstead/postgres';
import type { Destination, OutboxMessage, SentMessage, Verdict } from '@roadstead/outbound';
import type { Subscribers } from '../events/event-loop.ts';
import { insertEvent, type PublishedEvent, SERVICE_ACTOR } from '../events/event-store.ts';
import type { RowKey } from '../records/keys.ts';
import {
  addresseeOf,
  bodyOf,
  checkAddress,
  destinationOf,
  isSubscribed,
  MAX_WEBHOOKS,
} from './webhook-rules.ts';
import {
  countWebhooks,
  findCalled,
  insertWebhook,
  listSubscriptions,
  recordDelivered,
  recordFailure,
  replaceSecret,
} from './webhook-store.ts';

const drawSecret = () => `whsec_${randomBytes(24).toString('base64')}`;
const rowOf = (id: string) => `webhook:${id}:secret`;

interface SealingContext {
  readonly box: SecretBox;
  readonly actor: string;
}

export async function createWebhook(
  tx: Transaction,
  asked: Pick<Webhook, 'url' | 'kinds' | 'deployment_id' | 'enabled'> & { readonly workspace_id: string },
  { box, actor }: SealingContext,
): Promise<Webhook & { readonly secret: string }> {
  const { workspace_id } = asked;
  checkAddress(asked.url);
  if ((await countWebhooks(tx, workspace_id)) >= MAX_WEBHOOKS)
    throw new Problem('invalid', `A workspace has at most ${MAX_WEBHOOKS} webhooks.`);
  const id = uuidv7();
  const secret = drawSecret();
  const webhook = await insertWebhook(tx, { ...asked, id, secret_sealed: box.seal(secret, rowOf(id)) });
  await insertEvent(tx, {
    workspace_id,
    kind: 'webhook.created',
    actor,
    detail: { webhook_id: id, host: new URL(asked.url).host },
  });
  return { ...webhook, secret };
}

/** Undefined when there is no such webhook. */
export async function rotateSecret(
  tx: Transaction,
  { workspace_id, id }: RowKey,
  { box, actor }: SealingContext,
): Promise<(Webhook & { readonly secret: string }) | undefined> {
  const secret = drawSecret();
  const webhook = await replaceSecret(tx, { workspace_id, id, secret_sealed: box.seal(secret, rowOf(id)) });
  if (webhook === undefined) return undefined;
  await insertEvent(tx, { workspace_id, kind: 'webhook.secret_rotated', actor, detail: { webhook_id: id } });
  return { ...webhook, secret };
}

/** Webhooks as subscribers of published events. */
export function webhookSubscribers({
  db,
  secret_box,
}: {
  readonly db: Database;
  readonly secret_box: SecretBox;
}): Subscribers {
  return {
    messagesAbout,
    locate: (destination) => locateWebhook({ db, box: secret_box }, destination),
    onVerdict: recordTry,
  };
}

async function messagesAbout(tx: Transaction, events: readonly PublishedEvent[]): Promise<SentMessage[]> {
  if (events.length === 0) return [];
  const workspace_ids = [...new Set(events.map((event) => event.workspace_id))];
  const subscriptions = Map.groupBy(
    await listSubscriptions(tx, workspace_ids),
    ({ workspace_id }) => workspace_id,
  );
  return events.flatMap((event) => {
    const body = bodyOf(event);
    return (subscriptions.get(event.workspace_id) ?? [])
      .filter((subscription) => isSubscribed(subscription, event))
      .map(({ id, workspace_id, url }) => ({
        workspace_id,
        url,
        destination: destinationOf({ workspace_id, webhook_id: id, event_id: event.id }),
        body,
      }));
  });
}

/** The webhook's address when it is called; undefined where it is gone or disabled. */
async function locateWebhook(
  { db, box }: { readonly db: Database; readonly box: SecretBox },
  destination: string,
): Promise<Destination | undefined> {
  const { workspace_id, webhook_id, event_id } = addresseeOf(destination);
  const found = await findCalled(db, { workspace_id, id: webhook_id });
  if (found === undefined) return undefined;
  const secrets = found.sealed.map((sealed) => box.open(sealed, rowOf(webhook_id)));
  return { url: found.url, secrets, message_id: event_id };
}

/** Counts an attempt for or against its webhook, which is disabled after failing for long. */
async function recordTry(
  tx: Transaction,
  { destination }: Pick<OutboxMessage, 'destination'>,
  verdict: Verdict,
): Promise<void> {
  const { workspace_id, webhook_id: id } = addresseeOf(destination);
  if (verdict.state === 'delivered') return recordDelivered(tx, { workspace_id, id });
  if (await recordFailure(tx, { workspace_id, id, error: verdict.error }))
    await insertEvent(tx, {
      workspace_id,
      kind: 'webhook.disabled',
      actor: SERVICE_ACTOR,
      detail: { webhook_id: id, error: verdict.error },
    });
}
