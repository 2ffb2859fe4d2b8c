import type { deletions } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import type { Digest } from '../digest/digest-loop.ts';
import { requireSessions } from '../session-records/session-store.ts';
import { deletionAnswer, deletionScopeOf } from './deletion-rules.ts';
import { findDeletion } from './deletion-store.ts';
import { beginDeletion } from './deletion-work.ts';

type DeletionHandlers = Handlers<typeof deletions>;

/** @param marked is called when there is something to remove. */
export function deletionHandlers({
  db,
  digest,
  marked,
}: {
  readonly db: Database;
  readonly digest: Pick<Digest, 'wake' | 'caughtUp'>;
  readonly marked: () => void;
}): DeletionHandlers {
  const read = async (workspace_id: string, id: string) => {
    const row = await findDeletion(db, { workspace_id, id });
    if (row === undefined) throw new Problem('not_found', 'There is no such deletion.');
    return deletionAnswer(row);
  };
  const begin: DeletionHandlers['deleteRuns'] = async ({ body, workspace_id }) => {
    const scope = deletionScopeOf(body);
    if (scope.by === 'ids') await requireSessions(db, { workspace_id, ids: [scope.session_id] });
    else await digest.caughtUp(workspace_id);
    const id = await beginDeletion(db, { workspace_id, scope });
    digest.wake(workspace_id);
    marked();
    return read(workspace_id, id);
  };
  return {
    deleteRuns: begin,
    deleteTraces: begin,
    readDeletion: async ({ params, workspace_id }) => read(workspace_id, params.deletion_id),
  };
}
