import type { Queryable, Transaction } from '@roadstead/postgres';
import type { Repository } from './image-name-rules.ts';

/** Uploads of layers that have not ended. */

export interface UploadRow {
  readonly id: string;
  /** What has come so far. */
  readonly size: number;
}

export interface PieceRow {
  readonly first: number;
  readonly digest: string;
  readonly size: number;
}

/** How many uploads may be open. A push has few at once; whoever begins more and more gives them up. */
export const MAX_UPLOADS = { deployment: 100, workspace: 400 } as const;

/** False where as many are open as may be, or a few more: those that begin at the same moment don't count each other. */
export async function insertUpload(tx: Transaction, id: string, at: Repository): Promise<boolean> {
  const inserted = await tx.run(
    `insert into image_uploads (id, deployment_id, workspace_id, image)
     select $1, $2, $3, $4
     where (select count(*) from image_uploads where deployment_id = $2) < $5
       and (select count(*) from image_uploads where workspace_id = $3) < $6`,
    [id, at.deployment_id, at.workspace_id, at.image, MAX_UPLOADS.deployment, MAX_UPLOADS.workspace],
  );
  return inserted === 1;
}

export async function findUpload(
  db: Queryable,
  id: string,
  { deployment_id, image }: Repository,
): Promise<UploadRow | undefined> {
  return db.maybe<UploadRow>(
    'select id, size from image_uploads where id = $1 and deployment_id = $2 and image = $3',
    [id, deployment_id, image],
  );
}

/** Ends an upload, or gives it up; false where it has ended, or another piece has come. */
export async function deleteUpload(db: Queryable, { id, size }: UploadRow): Promise<boolean> {
  return (await db.run('delete from image_uploads where id = $1 and size = $2', [id, size])) === 1;
}

export async function listPieces(db: Queryable, upload_id: string): Promise<PieceRow[]> {
  return db.query<PieceRow>(
    'select first, digest, size from image_upload_pieces where upload_id = $1 order by first',
    [upload_id],
  );
}

export async function countPieces(db: Queryable, upload_id: string): Promise<number> {
  const { pieces } = await db.one<{ pieces: number }>(
    'select count(*) as pieces from image_upload_pieces where upload_id = $1',
    [upload_id],
  );
  return pieces;
}

/** False where the upload has ended, or another piece has come in its place. */
export async function insertPiece(tx: Transaction, upload_id: string, piece: PieceRow): Promise<boolean> {
  const { first, digest, size } = piece;
  const grown = await tx.run(
    'update image_uploads set size = size + $3, used_at = now() where id = $1 and size = $2',
    [upload_id, first, size],
  );
  if (grown === 0) return false;
  await tx.run('insert into image_upload_pieces (upload_id, first, digest, size) values ($1, $2, $3, $4)', [
    upload_id,
    first,
    digest,
    size,
  ]);
  return true;
}
