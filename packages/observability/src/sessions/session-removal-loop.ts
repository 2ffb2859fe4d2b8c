import { again, type Database, type Log, Loop, settled } from '@roadstead/kit';
import { whileClaimed } from '../claims/claim-store.ts';
import { listDeletedSessions, removeSession, removeSomeRuns } from './session-removal-store.ts';

/** While another instance is at the same project. */
const ELSEWHERE_MS = 1000;

/** Removes the runs of deleted projects. A key is `workspace_id/session_id`. */
export function sessionRemovalLoop(
  db: Database,
  log: Log,
  options: { readonly resync_ms?: number } = {},
): Loop {
  return new Loop({
    name: 'session removal',
    log,
    concurrency: 1,
    resync_ms: options.resync_ms ?? 60_000,
    list: async () => (await listDeletedSessions(db)).map(sessionKey),
    reconcile: async (key, signal) => {
      const [workspace_id = '', id = ''] = key.split('/');
      const session = { workspace_id, id };
      const done = await whileClaimed(db, `session removal ${key}`, {
        work: async () => {
          while ((await removeSomeRuns(db, session)) > 0) if (signal.aborted) return;
          await removeSession(db, session);
        },
      });
      return done ? settled : again(ELSEWHERE_MS);
    },
  });
}

export function sessionKey(session: { readonly workspace_id: string; readonly id: string }): string {
  return `${session.workspace_id}/${session.id}`;
}
