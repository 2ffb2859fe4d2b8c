import type { Queryable } from '@roadstead/kit';
import type { AttachmentOperation } from '../ingest/run-operation.ts';

/** Files that came with a run; they may come before it. One at a time, since they may be large. */
export async function upsertAttachments(
  tx: Queryable,
  attachments: readonly (AttachmentOperation & { readonly workspace_id: string })[],
  received_at: string,
): Promise<void> {
  for (const one of attachments) {
    await tx.run(
      `insert into traces.attachments (workspace_id, run_id, name, content_type, content, received_at)
       values ($1, $2, $3, $4, $5, $6)
       on conflict (run_id, workspace_id, name) do update
         set content_type = excluded.content_type, content = excluded.content`,
      [one.workspace_id, one.run_id, one.name, one.content_type, one.content, received_at],
    );
  }
}
