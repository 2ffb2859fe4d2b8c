import type { Webhook, WebhookDelivery } from '@roadstead/contracts/control-plane';
import type { Span } from '@roadstead/kit';
import type { Queryable, Transaction } from '@roadstead/postgres';
import type { RowKey } from '../records/keys.ts';
import { addresseeOf, failure_limit, type Subscription } from './webhook-rules.ts';

const shown = `id, url, kinds, deployment_id, enabled, disabled_reason, failures, last_error, last_delivered_at,
  created_at, updated_at`;

type Changeable = Pick<Webhook, 'url' | 'kinds' | 'deployment_id' | 'enabled'>;

export async function insertWebhook(
  tx: Transaction,
  fresh: RowKey & Changeable & { readonly secret_sealed: string },
): Promise<Webhook> {
  return tx.one(
    `insert into webhooks (id, workspace_id, url, kinds, deployment_id, enabled, secret_sealed)
     values ($1, $2, $3, $4, $5, $6, $7) returning ${shown}`,
    [
      fresh.id,
      fresh.workspace_id,
      fresh.url,
      fresh.kinds,
      fresh.deployment_id,
      fresh.enabled,
      fresh.secret_sealed,
    ],
  );
}

export async function countWebhooks(db: Queryable, workspace_id: string): Promise<number> {
  const row = await db.one<{ count: number }>(
    'select count(*) as count from webhooks where workspace_id = $1',
    [workspace_id],
  );
  return row.count;
}

export async function listWebhooks(db: Queryable, workspace_id: string, page: Span): Promise<Webhook[]> {
  return db.query(
    `select ${shown} from webhooks where workspace_id = $1 and ($2::uuid is null or id > $2) order by id limit $3`,
    [workspace_id, page.after ?? null, page.limit],
  );
}

export async function findWebhook(db: Queryable, { workspace_id, id }: RowKey): Promise<Webhook | undefined> {
  return db.maybe(`select ${shown} from webhooks where id = $1 and workspace_id = $2`, [id, workspace_id]);
}

/** Updates a webhook. Re-enabling it resets its failure count. Undefined when there is none. */
export async function updateWebhook(
  tx: Transaction,
  {
    id,
    workspace_id,
    ...change
  }: RowKey & { readonly [Name in keyof Changeable]?: Changeable[Name] | undefined },
): Promise<Webhook | undefined> {
  return tx.maybe(
    `update webhooks set url = coalesce($3, url), kinds = coalesce($4::text[], kinds),
       deployment_id = case when $5 then $6::uuid else deployment_id end,
       enabled = coalesce($7, enabled),
       disabled_reason = case when $7 is null then disabled_reason end,
       failures = case when $7 then 0 else failures end,
       failing_since = case when $7 then null else failing_since end,
       updated_at = now()
     where id = $1 and workspace_id = $2 returning ${shown}`,
    [
      id,
      workspace_id,
      change.url ?? null,
      change.kinds ?? null,
      change.deployment_id !== undefined,
      change.deployment_id ?? null,
      change.enabled ?? null,
    ],
  );
}

/** Answers whether there was one. Its waiting messages no longer find a receiver. */
export async function deleteWebhook(tx: Transaction, { workspace_id, id }: RowKey): Promise<boolean> {
  return (await tx.run('delete from webhooks where id = $1 and workspace_id = $2', [id, workspace_id])) > 0;
}

/** The earlier secret signs beside the new one for a day. */
export async function replaceSecret(
  tx: Transaction,
  { id, workspace_id, secret_sealed }: RowKey & { readonly secret_sealed: string },
): Promise<Webhook | undefined> {
  return tx.maybe(
    `update webhooks set earlier_secret_sealed = secret_sealed, earlier_secret_until = now() + interval '1 day',
       secret_sealed = $3, updated_at = now()
     where id = $1 and workspace_id = $2 returning ${shown}`,
    [id, workspace_id, secret_sealed],
  );
}

/** The address of an enabled webhook, and its sealed secrets. */
export async function findCalled(
  db: Queryable,
  { workspace_id, id }: RowKey,
): Promise<{ readonly url: string; readonly sealed: readonly string[] } | undefined> {
  return db.maybe(
    `select url, array_remove(array[secret_sealed,
       case when earlier_secret_until > now() then earlier_secret_sealed end], null) as sealed
     from webhooks where id = $1 and workspace_id = $2 and enabled`,
    [id, workspace_id],
  );
}

export async function listSubscriptions(
  tx: Transaction,
  workspace_ids: readonly string[],
): Promise<Subscription[]> {
  return tx.query(
    `select id, workspace_id, kinds, deployment_id, url from webhooks
     where enabled and workspace_id = any($1) order by id`,
    [workspace_ids],
  );
}

export async function recordDelivered(tx: Transaction, { workspace_id, id }: RowKey): Promise<void> {
  await tx.run(
    `update webhooks set failures = 0, failing_since = null, last_error = null, last_delivered_at = now()
     where id = $1 and workspace_id = $2`,
    [id, workspace_id],
  );
}

/** Answers whether it was disabled by this failure. */
export async function recordFailure(
  tx: Transaction,
  { workspace_id, id, error }: RowKey & { readonly error: string },
): Promise<boolean> {
  const isOver = `w.failures + 1 >= ${failure_limit.tries}
    and w.failing_since <= now() - interval '${failure_limit.hours} hours'`;
  const row = await tx.maybe<{ is_over: boolean }>(
    `update webhooks w set failures = w.failures + 1, failing_since = coalesce(w.failing_since, now()),
       last_error = $3, enabled = not coalesce(${isOver}, false),
       disabled_reason = case when ${isOver} then
         'Its last ' || w.failures + 1 || ' tries failed: ' || $3 else w.disabled_reason end
     where w.id = $1 and w.workspace_id = $2 and w.enabled
     returning not w.enabled as is_over`,
    [id, workspace_id, error],
  );
  return row?.is_over ?? false;
}

type DeliveryRow = Omit<WebhookDelivery, 'event_id'> & { readonly destination: string };

/** Deliveries, newest first. */
export async function listDeliveries(
  db: Queryable,
  { workspace_id, id }: RowKey,
  page: {
    readonly after?: string | undefined;
    readonly kind?: string | undefined;
    readonly limit: number;
  },
): Promise<WebhookDelivery[]> {
  const rows = await db.query<DeliveryRow>(
    `select id, destination, body::json ->> 'type' as kind, state, attempts, error, created_at,
       case when state = 'waiting' then due_at end as due_at, ended_at
     from outbox_messages
     where destination like $1 and ($2::uuid is null or id < $2) and ($3::text is null or body::json ->> 'type' = $3)
     order by id desc limit $4`,
    [`${workspace_id}/${id}/%`, page.after ?? null, page.kind ?? null, page.limit],
  );
  return rows.map(({ destination, ...row }) => ({ ...row, event_id: addresseeOf(destination).event_id }));
}
