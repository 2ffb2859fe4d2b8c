import type { Queryable, Transaction } from '@roadstead/postgres';
import type { Reference } from './digest-rules.ts';
import type { Repository } from './image-name-rules.ts';
import type { ManifestFacts } from './manifest-rules.ts';

export interface ManifestRow {
  readonly digest: string;
  readonly media_type: string;
  readonly body: Buffer;
}

const digestOf = `coalesce($3::text, (select digest from image_tags where deployment_id = $1 and image = $2 and tag = $4))`;

const keysOf = ({ deployment_id, image }: Repository, reference: Reference) => [
  deployment_id,
  image,
  'digest' in reference ? reference.digest : null,
  'tag' in reference ? reference.tag : null,
];

export async function findManifest(
  db: Queryable,
  at: Repository,
  reference: Reference,
): Promise<ManifestRow | undefined> {
  return db.maybe<ManifestRow>(
    `select digest, media_type, body from image_manifests
     where deployment_id = $1 and image = $2 and digest = ${digestOf}`,
    keysOf(at, reference),
  );
}

/** Keeps a manifest from being removed for as long as one that was pushed now; its digest, or undefined where there is none. */
export async function holdManifest(
  tx: Transaction,
  at: Repository,
  reference: Reference,
): Promise<string | undefined> {
  const row = await tx.maybe<{ digest: string }>(
    `update image_manifests set used_at = now()
     where deployment_id = $1 and image = $2 and digest = ${digestOf} returning digest`,
    keysOf(at, reference),
  );
  if (row !== undefined) await holdBelow(tx, at, row.digest);
  return row?.digest;
}

/** What an index consists of is kept with it, at any depth. */
async function holdBelow(
  tx: Transaction,
  { deployment_id, image }: Repository,
  digest: string,
): Promise<void> {
  await tx.run(
    `with recursive below (digest) as (
       select digest from image_parts where deployment_id = $1 and image = $2 and manifest_digest = $3
       union
       select p.digest from below b
         join image_parts p on p.deployment_id = $1 and p.image = $2 and p.manifest_digest = b.digest)
     update image_manifests m set used_at = now() from below
     where m.deployment_id = $1 and m.image = $2 and m.digest = below.digest`,
    [deployment_id, image, digest],
  );
}

/**
 * Keeps the parts of a manifest that is pushed, in the order of their digests, so that no two pushes wait for each other. A removal looks
 * anew at rows that changed, and would remove those that were only locked. Answers the parts that are there.
 */
export async function holdParts(
  tx: Transaction,
  { deployment_id, image }: Repository,
  parts: { readonly table: 'image_blobs' | 'image_manifests'; readonly digests: readonly string[] },
): Promise<string[]> {
  if (parts.digests.length === 0) return [];
  const rows = await tx.query<{ digest: string }>(
    `with held as materialized (
       select deployment_id, image, digest from ${parts.table}
       where deployment_id = $1 and image = $2 and digest = any($3) order by digest for update)
     update ${parts.table} part set used_at = now() from held
     where part.deployment_id = held.deployment_id and part.image = held.image and part.digest = held.digest
     returning part.digest`,
    [deployment_id, image, parts.digests],
  );
  return rows.map(({ digest }) => digest);
}

/** True where it is new. */
export async function insertManifest(
  tx: Transaction,
  { deployment_id, workspace_id, image }: Repository,
  {
    digest,
    bytes,
    facts,
  }: { readonly digest: string; readonly bytes: Buffer; readonly facts: ManifestFacts },
): Promise<boolean> {
  const { media_type, blobs, manifests, subject, artifact_type, annotations } = facts;
  const { is_new } = await tx.one<{ is_new: boolean }>(
    `insert into image_manifests (deployment_id, workspace_id, image, digest, media_type, body, size, subject, artifact_type, annotations)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     on conflict (deployment_id, image, digest) do update set used_at = now() returning xmax = 0 as is_new`,
    [
      deployment_id,
      workspace_id,
      image,
      digest,
      media_type,
      bytes,
      bytes.length,
      subject,
      artifact_type,
      // Only lists of what refers to something show them.
      subject === null ? null : JSON.stringify(annotations),
    ],
  );
  await tx.run(
    `insert into image_parts (deployment_id, image, manifest_digest, digest)
     select $1, $2, $3, part from unnest($4::text[]) as part on conflict do nothing`,
    [deployment_id, image, digest, [...blobs, ...manifests]],
  );
  return is_new;
}

export async function putTag(
  tx: Transaction,
  { deployment_id, image }: Repository,
  { tag, digest }: { readonly tag: string; readonly digest: string },
): Promise<void> {
  await tx.run(
    `insert into image_tags (deployment_id, image, tag, digest) values ($1, $2, $3, $4)
     on conflict (deployment_id, image, tag) do update set digest = excluded.digest`,
    [deployment_id, image, tag, digest],
  );
}

export async function deleteTag(
  db: Queryable,
  { deployment_id, image }: Repository,
  { tag }: { readonly tag: string },
): Promise<boolean> {
  const deleted = await db.run(
    'delete from image_tags where deployment_id = $1 and image = $2 and tag = $3',
    [deployment_id, image, tag],
  );
  return deleted === 1;
}

/** Whether a revision has an image, in SQL: one that can still be run. @param manifest the alias of the manifest's row */
export const isOfRevision = (manifest: string): string => `exists (
  select from revisions r where r.deployment_id = ${manifest}.deployment_id and r.source = 'internal_image'
    and not r.artifact_expired
    and right(r.config ->> 'image_uri', length(${manifest}.image || ${manifest}.digest) + 2)
      = '/' || ${manifest}.image || '@' || ${manifest}.digest)`;

/** Deletes a manifest with its tags; answers why it stays, if it does. */
export async function deleteManifest(
  tx: Transaction,
  { deployment_id, image }: Repository,
  { digest }: { readonly digest: string },
): Promise<'deleted' | 'absent' | 'of a revision' | 'of an index'> {
  const at = [deployment_id, image, digest];
  // A statement of its own: what a revision or a push has written that it waited for, the next one alone sees.
  await tx.query(
    'select from image_manifests where deployment_id = $1 and image = $2 and digest = $3 for update',
    at,
  );
  const found = await tx.maybe<{ is_of_revision: boolean; is_of_index: boolean }>(
    `select ${isOfRevision('m')} as is_of_revision,
       exists (select from image_parts p where p.deployment_id = $1 and p.image = $2 and p.digest = $3) as is_of_index
     from image_manifests m where deployment_id = $1 and image = $2 and digest = $3`,
    at,
  );
  if (found === undefined) return 'absent';
  if (found.is_of_revision) return 'of a revision';
  if (found.is_of_index) return 'of an index';
  await tx.run('delete from image_manifests where deployment_id = $1 and image = $2 and digest = $3', at);
  return 'deleted';
}

interface Page {
  readonly limit: number;
  readonly last: string | undefined;
}

export async function listTags(
  db: Queryable,
  { deployment_id, image }: Repository,
  { limit, last = '' }: Page,
): Promise<string[]> {
  const rows = await db.query<{ tag: string }>(
    `select tag from image_tags where deployment_id = $1 and image = $2 and tag > $3 order by tag limit $4`,
    [deployment_id, image, last, limit],
  );
  return rows.map(({ tag }) => tag);
}

export interface ReferrerRow {
  readonly digest: string;
  readonly media_type: string;
  readonly size: number;
  readonly artifact_type: string | null;
  /** JSON. */
  readonly annotations: string | null;
}

/** What refers to a subject, in the order of digests: as much as fits into an answer, and one at least. */
export async function listReferrers(
  db: Queryable,
  { deployment_id, image }: Repository,
  of: Page & {
    readonly subject: string;
    readonly artifact_type: string | undefined;
    readonly max_bytes: number;
  },
): Promise<ReferrerRow[]> {
  return db.query<ReferrerRow>(
    `select digest, media_type, size, artifact_type, annotations from (
       select *, sum(length(annotations)) over (order by digest) as sum, row_number() over (order by digest) as place
       from image_manifests
       where deployment_id = $1 and image = $2 and subject = $3 and ($4::text is null or artifact_type = $4)
         and digest > $5) listed
     where sum <= $6 or place = 1 order by digest limit $7`,
    [deployment_id, image, of.subject, of.artifact_type ?? null, of.last ?? '', of.max_bytes, of.limit],
  );
}
