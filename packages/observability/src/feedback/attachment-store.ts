import type { Transaction } from '@roadstead/kit';
import type { AttachmentOperation } from '../ingest/run-operation.ts';

/** Of one statement: what is sent to the database is copied several times before it is gone. */
const PIECE_BYTES = 8_388_608;

/** Files that came with a run; they may come before it. One at a time, and large ones in pieces. */
export async function upsertAttachments(
  tx: Transaction,
  {
    attachments,
    received_at,
  }: {
    readonly attachments: readonly (AttachmentOperation & { readonly workspace_id: string })[];
    readonly received_at: string;
  },
): Promise<void> {
  for (const one of attachments) {
    const [first = one.content, ...others] = piecesOf(one.content);
    await tx.run(
      `insert into traces.attachments (workspace_id, run_id, name, content_type, content, received_at)
       values ($1, $2, $3, $4, $5, $6)
       on conflict (run_id, workspace_id, name) do update
         set content_type = excluded.content_type, content = excluded.content`,
      [one.workspace_id, one.run_id, one.name, one.content_type, first, received_at],
    );
    for (const piece of others)
      await tx.run(
        'update traces.attachments set content = content || $4 where workspace_id = $1 and run_id = $2 and name = $3',
        [one.workspace_id, one.run_id, one.name, piece],
      );
  }
}

function piecesOf(content: Uint8Array): Uint8Array[] {
  const count = Math.ceil(content.length / PIECE_BYTES);
  return Array.from({ length: count }, (_, at) => content.subarray(at * PIECE_BYTES, (at + 1) * PIECE_BYTES));
}
