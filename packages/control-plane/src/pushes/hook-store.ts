import type { UnderLock, Queryable, Transaction } from '@roadstead/postgres';

/** A deployment whose repository received a push. */
export interface PushedDeployment {
  readonly id: string;
  readonly name: string;
  /** The ref of the latest revision. */
  readonly repo_ref: string;
}

/** The deployments that are built on push, in the order in which everybody locks them. */
export async function listPushed(
  db: Queryable,
  { workspace_id, repositories }: { readonly workspace_id: string; readonly repositories: readonly string[] },
): Promise<PushedDeployment[]> {
  return db.query<PushedDeployment>(
    `select d.id, d.name, r.config ->> 'repo_ref' as repo_ref
     from deployments d join revisions r on r.id = d.latest_revision_id
     where d.workspace_id = $1 and d.repository = any($2::text[]) and d.status in ('AWAITING_DATABASE', 'READY')
       and (d.source_config ->> 'build_on_push')::boolean
     order by d.id`,
    [workspace_id, repositories],
  );
}

/** Notes that a webhook about its repository came. */
export async function markPushed(tx: UnderLock<'deployment'>, id: string): Promise<void> {
  await tx.run('update deployments set pushed_at = now() where id = $1', [id]);
}

interface Delivery {
  readonly integration_id: string;
  readonly digest: Buffer;
}

export async function wasDelivered(db: Queryable, { integration_id, digest }: Delivery): Promise<boolean> {
  const row = await db.maybe('select digest from deliveries where integration_id = $1 and digest = $2', [
    integration_id,
    digest,
  ]);
  return row !== undefined;
}

/**
 * Records that a delivery was applied; false where it is recorded already. Older records are removed: the refs have
 * moved on since.
 */
export async function recordDelivery(
  tx: Transaction,
  { integration_id, digest }: Delivery,
): Promise<boolean> {
  const recorded = await tx.run(
    'insert into deliveries (integration_id, digest) values ($1, $2) on conflict do nothing',
    [integration_id, digest],
  );
  await tx.run(
    `delete from deliveries where integration_id = $1 and received_at < now() - interval '90 days'`,
    [integration_id],
  );
  return recorded === 1;
}

export async function markReceived(db: Queryable, integration_id: string): Promise<void> {
  await db.run('update integrations set webhook_received_at = now() where id = $1', [integration_id]);
}
