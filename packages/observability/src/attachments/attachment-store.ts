import type { Queryable, Transaction } from '@roadstead/postgres';
import type { InWorkspace, RunKeys } from '../values/keys.ts';

/**
 * Files that came with runs. Their bytes are blobs; the table names the blobs, and the files as the client called
 * them.
 */

export interface StoredAttachment {
  readonly run_id: string;
  readonly name: string;
  readonly content_type: string;
  readonly digest: string;
  readonly size: number;
}

/** Attachments may come before their run. Their blobs are recorded first (`recordBlobs`). */
export async function upsertAttachments(
  tx: Transaction,
  {
    attachments,
    received_at,
  }: {
    readonly attachments: readonly (StoredAttachment & InWorkspace)[];
    readonly received_at: string;
  },
): Promise<void> {
  const distinct = new Map(
    attachments.map(({ workspace_id, run_id, name, content_type, digest, size }) => [
      `${workspace_id}/${run_id}/${name}`,
      { workspace_id, run_id, name, content_type, digest, size },
    ]),
  );
  if (distinct.size === 0) return;
  await tx.run(
    `insert into traces.attachments (workspace_id, run_id, name, content_type, digest, size, received_at)
     select j.*, $2::timestamptz from json_to_recordset($1::text::json)
       as j(workspace_id uuid, run_id uuid, name text, content_type text, digest text, size bigint)
     on conflict (run_id, workspace_id, name) do update set content_type = excluded.content_type,
       digest = excluded.digest, size = excluded.size, content = null`,
    [JSON.stringify([...distinct.values()]), received_at],
  );
}

/** The attachments by run id, ordered by name. */
export async function readAttachments(
  db: Queryable,
  { workspace_id, run_ids }: RunKeys,
): Promise<Map<string, StoredAttachment[]>> {
  if (run_ids.length === 0) return new Map();
  const rows = await db.query<StoredAttachment>(
    `select run_id, name, content_type, digest, size from traces.attachments
     where workspace_id = $1 and run_id = any ($2::uuid[]) and digest is not null order by run_id, name`,
    [workspace_id, run_ids],
  );
  return Map.groupBy(rows, ({ run_id }) => run_id);
}

/** An attachment of an older release, which kept them in the database. */
export interface UnmovedAttachment {
  readonly workspace_id: string;
  readonly run_id: string;
  readonly name: string;
  readonly content: Uint8Array;
}

export async function findUnmovedAttachment(db: Queryable): Promise<UnmovedAttachment | undefined> {
  return db.maybe<UnmovedAttachment>(
    `select workspace_id, run_id, name, content from traces.attachments
     where content is not null order by received_at limit 1`,
  );
}

/** Moves an attachment, unless it was sent again meanwhile. */
export async function moveAttachment(
  tx: Transaction,
  moved: Omit<UnmovedAttachment, 'content'> & { readonly digest: string; readonly size: number },
): Promise<void> {
  await tx.run(
    `update traces.attachments set digest = $4, size = $5, content = null
     where workspace_id = $1 and run_id = $2 and name = $3 and content is not null`,
    [moved.workspace_id, moved.run_id, moved.name, moved.digest, moved.size],
  );
}
