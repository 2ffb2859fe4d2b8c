import type { Queryable, Transaction } from '@roadstead/postgres';
import { namedByImages } from '../registry/repository-store.ts';

/**
 * Artifacts and sources are kept for this many newest revisions of a deployment, for the active one and for those
 * under way.
 */
const KEPT_REVISIONS = 10;

const kept = `
  select r.id from (
    select id, deployment_id, status, row_number() over (partition by deployment_id order by number desc) as age
    from revisions
  ) r join deployments d on d.id = r.deployment_id
  where r.age <= ${KEPT_REVISIONS} or r.id = d.active_revision_id or r.status <> all($1::text[])`;

/** Whether something refers to the blob `b.digest`. */
const named = `
  exists (select from uploads u where u.digest = b.digest)
  or exists (select from revisions r where r.artifact_digest = b.digest)
  or exists (select from revisions r where r.source_digest = b.digest and r.id in (${kept}))
  or ${namedByImages('b.digest')}`;

/** Old revisions lose their artifact, or the image that was pushed for them: they can no longer be rolled back to. */
export async function expireArtifacts(db: Queryable, terminal: readonly string[]): Promise<number> {
  return db.run(
    `update revisions set artifact_digest = null, artifact_expired = true
     where (artifact_digest is not null or not artifact_expired and source = 'internal_image'
         and config ->> 'image_uri' like '%/images/%/' || deployment_id || '/%') and id not in (${kept})`,
    [terminal],
  );
}

/** Removes addresses that were never used, or whose archive no kept revision uses. */
export async function removeOldUploads(db: Queryable, terminal: readonly string[]): Promise<number> {
  return db.run(
    `delete from uploads u where u.created_at < now() - interval '1 day' and not exists (
       select from revisions r
       where r.deployment_id = u.deployment_id and r.config ->> 'source_tarball_path' = u.object_path
         and r.id in (${kept}))`,
    [terminal],
  );
}

/** How long a blob stays that nothing refers to. One of images is named as it is recorded, and counts against their room until it is gone. */
const STAYS = `case when exists (select from image_room_blobs c where c.digest = b.digest)
  then interval '1 hour' else interval '1 day' end`;

/** Deletes the records of blobs that nothing refers to and that were not asked for lately; answers their digests. */
export async function takeUnusedBlobs(
  tx: Transaction,
  { terminal, limit }: { readonly terminal: readonly string[]; readonly limit: number },
): Promise<string[]> {
  const rows = await tx.query<{ digest: string }>(
    `delete from stored_blobs b where b.digest in (
       select b.digest from stored_blobs b
       where b.put_at < now() - ${STAYS} and not (${named})
       limit $2 for update skip locked)
     and b.put_at < now() - ${STAYS}
     returning b.digest`,
    [terminal, limit],
  );
  return rows.map((row) => row.digest);
}

/** Those of these blobs that no row refers to. */
export async function listUnnamed(
  db: Queryable,
  { terminal, digests }: { readonly terminal: readonly string[]; readonly digests: readonly string[] },
): Promise<string[]> {
  const rows = await db.query<{ digest: string }>(
    `select b.digest from unnest($2::text[]) as b (digest)
     where not exists (select from stored_blobs s where s.digest = b.digest) and not (${named})`,
    [terminal, digests],
  );
  return rows.map((row) => row.digest);
}
