import type { Queryable } from '@roadstead/postgres';
import { isOfRevision } from './manifest-store.ts';

/** An upload to which nothing was added for so long has been given up, unless a piece of it is coming just now. */
const ABANDONED = `interval '1 hour'`;

export async function removeOldUploads(db: Queryable): Promise<number> {
  return db.run(
    `delete from image_uploads u where u.used_at < now() - ${ABANDONED} and not exists (
       select from image_reservations r where r.upload_id = u.id and r.renewed_at >= now() - ${ABANDONED})`,
  );
}

/**
 * Removes images that no revision has and that were pushed long ago, with their tags. What a kept index consists of is kept, and what
 * refers to something that is kept. A push changes the rows of its parts: a removal that meets it leaves them, and one after it looks at
 * them anew.
 */
export async function removeUnusedImages(db: Queryable, kept_days: number): Promise<number> {
  return db.run(
    `with recursive kept (deployment_id, image, digest) as (
       select m.deployment_id, m.image, m.digest from image_manifests m
       where m.used_at >= now() - make_interval(days => $1) or ${isOfRevision('m')}
       union
       select m.deployment_id, m.image, m.digest from kept k
         cross join lateral (
           select r.digest from image_manifests r
           where r.deployment_id = k.deployment_id and r.image = k.image and r.subject = k.digest
           union all
           select p.digest from image_parts p
           where p.deployment_id = k.deployment_id and p.image = k.image and p.manifest_digest = k.digest) next
         join image_manifests m
           on m.deployment_id = k.deployment_id and m.image = k.image and m.digest = next.digest
     ), old as materialized (
       select m.deployment_id, m.image, m.digest from image_manifests m
       where m.used_at < now() - make_interval(days => $1) and not exists (
         select from kept k where k.deployment_id = m.deployment_id and k.image = m.image and k.digest = m.digest)
       for update skip locked
     )
     delete from image_manifests m using old
     where m.deployment_id = old.deployment_id and m.image = old.image and m.digest = old.digest`,
    [kept_days],
  );
}

/** A push may take so long between its first layer and its manifest. */
const PUSHED = `interval '1 day'`;

/** Removes layers that no image has, or not any more; their bytes follow once nothing else has them. */
export async function removeUnusedLayers(db: Queryable): Promise<number> {
  return db.run(
    `with old as materialized (
       select b.deployment_id, b.image, b.digest from image_blobs b
       where b.used_at < now() - ${PUSHED} and not exists (
         select from image_parts p
         where p.deployment_id = b.deployment_id and p.image = b.image and p.digest = b.digest)
       for update skip locked
     )
     delete from image_blobs b using old
     where b.deployment_id = old.deployment_id and b.image = old.image and b.digest = old.digest`,
  );
}
