import type { Queryable, Transaction } from '@roadstead/postgres';
import { namedByImages } from '../registry/repository-store.ts';

interface CountedName {
  readonly name: string;
  readonly count: number;
}

const counted = 'count(*) over () as count';

/** Deployments outside the bin: a few names, and the total. */
export async function listLiveDeployments(db: Queryable, workspace_id: string): Promise<CountedName[]> {
  return db.query(
    `select name, ${counted} from deployments
     where workspace_id = $1 and status not in ('AWAITING_DELETE', 'DELETED') order by name limit 5`,
    [workspace_id],
  );
}

export async function listOwnListeners(db: Queryable, workspace_id: string): Promise<CountedName[]> {
  return db.query(
    `select compute_id as name, ${counted} from listeners where workspace_id = $1 order by compute_id limit 5`,
    [workspace_id],
  );
}

/**
 * The deployments that a listener can still remove, and those whose listener can’t be reached any more because its
 * key is dead.
 */
export async function listDeploymentsToErase(
  db: Queryable,
  workspace_id: string,
): Promise<{ readonly id: string; readonly is_reachable: boolean; readonly is_asked: boolean }[]> {
  return db.query(
    `select d.id, l.workspace_id <> d.workspace_id as is_reachable,
       d.status in ('AWAITING_DELETE', 'DELETED') and d.purge_at <= now() as is_asked
     from deployments d
       join assignments a on a.deployment_id = d.id join listeners l on l.id = a.listener_id
     where d.workspace_id = $1 order by d.id`,
    [workspace_id],
  );
}

/** Notes blobs before the rows go that name them. */
export async function noteBlobs(tx: Transaction, workspace_id: string): Promise<void> {
  await tx.run(
    `insert into erased_blobs (workspace_id, digest)
     select $1, named.digest from deployments d, lateral (
       select u.digest from uploads u where u.deployment_id = d.id
       union select r.source_digest from revisions r where r.deployment_id = d.id
       union select r.artifact_digest from revisions r where r.deployment_id = d.id
       union select i.stored_digest from image_blobs i where i.deployment_id = d.id
       union select p.digest from image_uploads u join image_upload_pieces p on p.upload_id = u.id where u.deployment_id = d.id
     ) named where d.workspace_id = $1 and named.digest is not null
     union select $1, digest from image_room_blobs where workspace_id = $1
     on conflict do nothing`,
    [workspace_id],
  );
}

/**
 * Forgets those of the noted blobs that nothing names, and answers them so that their bytes can be removed. One that
 * somebody asked for within the last minute waits: it may be about to be named.
 */
export async function takeErasedBlobs(tx: Transaction, workspace_id: string): Promise<string[]> {
  const rows = await tx.query<{ digest: string }>(
    `delete from stored_blobs b
     where b.digest in (select digest from erased_blobs where workspace_id = $1 limit 100)
       and b.put_at < now() - interval '1 minute'
       and not exists (select from uploads u where u.digest = b.digest)
       and not exists (select from revisions r where b.digest in (r.source_digest, r.artifact_digest))
       and not ${namedByImages('b.digest')}
     returning digest`,
    [workspace_id],
  );
  return rows.map(({ digest }) => digest);
}

/** Forgets blobs that are gone, or that somebody else names. */
export async function forgetErasedBlobs(db: Queryable, workspace_id: string): Promise<void> {
  await db.run(
    `delete from erased_blobs e where workspace_id = $1 and (
       not exists (select from stored_blobs b where b.digest = e.digest)
       or exists (select from uploads u where u.digest = e.digest)
       or exists (select from revisions r where e.digest in (r.source_digest, r.artifact_digest))
       or ${namedByImages('e.digest')})`,
    [workspace_id],
  );
}

/** Deletes messages about it, waiting and sent. */
export async function deleteMessages(db: Queryable, workspace_id: string): Promise<void> {
  await db.run('delete from outbox_messages where destination like $1', [`${workspace_id}/%`]);
}
