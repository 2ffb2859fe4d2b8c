import type { UnderLock, Queryable, Transaction } from '@roadstead/postgres';

interface UploadKey {
  readonly deployment_id: string;
  readonly object_path: string;
}

export interface UploadRow {
  readonly object_path: string;
  readonly deployment_id: string;
  /** Null until the whole archive has arrived. */
  readonly digest: string | null;
}

export async function insertUpload(tx: Transaction, upload: UploadKey): Promise<void> {
  await tx.run('insert into uploads (object_path, deployment_id) values ($1, $2)', [
    upload.object_path,
    upload.deployment_id,
  ]);
}

export async function findUpload(
  db: Queryable,
  { object_path, deployment_id }: UploadKey,
): Promise<UploadRow | undefined> {
  return db.maybe<UploadRow>(
    'select object_path, deployment_id, digest from uploads where object_path = $1 and deployment_id = $2',
    [object_path, deployment_id],
  );
}

/** The workspace that an upload belongs to; undefined where it is gone. */
export async function findUploader(
  db: Queryable,
  { object_path, deployment_id }: UploadKey,
): Promise<string | undefined> {
  const row = await db.maybe<{ workspace_id: string }>(
    `select d.workspace_id from uploads u join deployments d on d.id = u.deployment_id
     where u.object_path = $1 and u.deployment_id = $2`,
    [object_path, deployment_id],
  );
  return row?.workspace_id;
}

/**
 * False when other bytes came before, or the upload is gone. The same bytes again change nothing. It runs under the
 * lock, since a patch must find the archive whole or not at all.
 */
export async function completeUpload(
  tx: UnderLock<'deployment'>,
  upload: { readonly object_path: string; readonly digest: string; readonly size: number },
): Promise<boolean> {
  const changed = await tx.run(
    `update uploads set digest = $2, size = $3, completed_at = coalesce(completed_at, now())
     where object_path = $1 and (digest is null or digest = $2)`,
    [upload.object_path, upload.digest, upload.size],
  );
  return changed === 1;
}
