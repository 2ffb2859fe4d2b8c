import type { Queryable, Transaction } from '@roadstead/postgres';
import type { DeploymentKey, Repository } from './image-name-rules.ts';

/** Whether the deployment takes images that are pushed, and lives. */
export async function hasRepositories(
  db: Queryable,
  { workspace_id, deployment_id }: DeploymentKey,
): Promise<boolean> {
  const row = await db.maybe(
    `select from deployments
     where id = $1 and workspace_id = $2 and source = 'internal_image'
       and status not in ('AWAITING_DELETE', 'DELETED')`,
    [deployment_id, workspace_id],
  );
  return row !== undefined;
}

/** The same, until the transaction ends: whatever is written of a repository is written under it. */
export async function holdRepositories(
  tx: Transaction,
  { workspace_id, deployment_id }: DeploymentKey,
): Promise<boolean> {
  const row = await tx.maybe(
    `select from deployments
     where id = $1 and workspace_id = $2 and source = 'internal_image'
       and status not in ('AWAITING_DELETE', 'DELETED') for key share`,
    [deployment_id, workspace_id],
  );
  return row !== undefined;
}

export interface BlobRow {
  readonly digest: string;
  readonly stored_digest: string;
  readonly size: number;
}

/** A use within this time needs no other note: reads of a running push are many. */
const NOTED = `interval '1 hour'`;

/** Finds a blob of a repository, and notes that it was asked for: who asks may be about to push an image that has it. */
export async function findBlob(
  db: Queryable,
  { deployment_id, image }: Repository,
  { digest }: { readonly digest: string },
): Promise<BlobRow | undefined> {
  const at = [deployment_id, image, digest];
  const found = await db.maybe<BlobRow & { readonly is_noted: boolean }>(
    `select digest, stored_digest, size, used_at > now() - ${NOTED} as is_noted from image_blobs
     where deployment_id = $1 and image = $2 and digest = $3`,
    at,
  );
  if (found === undefined || found.is_noted) return found;
  const noted = await db.run(
    'update image_blobs set used_at = now() where deployment_id = $1 and image = $2 and digest = $3',
    at,
  );
  return noted === 1 ? found : undefined;
}

/** Where a blob is looked for: the less is named, the further. */
export interface BlobSearch extends Partial<Repository> {
  readonly workspace_id: string;
  readonly digest: string;
}

/** Finds a blob in one repository, in all of a deployment, or in all of a workspace. */
export async function findBlobWithin(
  db: Queryable,
  { digest, ...within }: BlobSearch,
): Promise<BlobRow | undefined> {
  return db.maybe<BlobRow>(
    `select digest, stored_digest, size from image_blobs
     where workspace_id = $1 and digest = $2 and ($3::uuid is null or deployment_id = $3)
       and ($4::text is null or image = $4) limit 1`,
    [within.workspace_id, digest, within.deployment_id ?? null, within.image ?? null],
  );
}

export async function insertBlob(
  tx: Transaction,
  { deployment_id, workspace_id, image }: Repository,
  { digest, stored_digest, size }: BlobRow,
): Promise<void> {
  await tx.run(
    `insert into image_blobs (deployment_id, workspace_id, image, digest, stored_digest, size)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (deployment_id, image, digest) do update set used_at = now()`,
    [deployment_id, workspace_id, image, digest, stored_digest, size],
  );
}

/** False where a manifest has it. The row is locked first: a push that is about to name it comes before or after. */
export async function deleteBlob(
  tx: Transaction,
  { deployment_id, image }: Repository,
  { digest }: { readonly digest: string },
): Promise<boolean> {
  const at = [deployment_id, image, digest];
  await tx.run(
    'select from image_blobs where deployment_id = $1 and image = $2 and digest = $3 for update',
    at,
  );
  const deleted = await tx.run(
    `delete from image_blobs where deployment_id = $1 and image = $2 and digest = $3
     and not exists (select from image_parts where deployment_id = $1 and image = $2 and digest = $3)`,
    at,
  );
  return deleted === 1;
}

/** Whether the registry has these bytes, in SQL. @param digest the expression of their digest */
export const namedByImages = (digest: string): string =>
  `(exists (select from image_blobs i where i.stored_digest = ${digest})
    or exists (select from image_upload_pieces p where p.digest = ${digest}))`;
