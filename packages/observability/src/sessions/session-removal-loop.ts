import { again, type Bound, type Log, Loop, settled } from '@roadstead/kit';
import { type Database, whileClaimed } from '@roadstead/postgres';
import { listDeletedSessions, removeSession, removeSomeRuns } from './session-removal-store.ts';
import type { RowKey } from '../values/keys.ts';

/** The pause while another instance works on the same project. */
const ELSEWHERE_MS = 1000;

/** One step at a time: workspaces take turns, also while a large one needs many steps. */
const sessionRemovalBound: Bound<string> = { size: 1, owner: (key) => key.split('/', 1) };

/** Removes the runs of deleted projects. A key is `workspace_id/session_id`. */
export function sessionRemovalLoop(
  db: Database,
  log: Log,
  options: { readonly resync_ms?: number } = {},
): Loop {
  return new Loop({
    name: 'session removal',
    log,
    concurrency: sessionRemovalBound.size,
    owner: sessionRemovalBound.owner,
    resync_ms: options.resync_ms ?? 60_000,
    list: async () => (await listDeletedSessions(db)).map(sessionKey),
    reconcile: async (key) => {
      const [workspace_id = '', id = ''] = key.split('/');
      const session = { workspace_id, id };
      let isMore = false;
      const done = await whileClaimed(db, `session removal ${key}`, {
        work: async () => {
          isMore = (await removeSomeRuns(db, session)) > 0;
          if (!isMore) await removeSession(db, session);
        },
      });
      if (!done) return again(ELSEWHERE_MS);
      return isMore ? again(0) : settled;
    },
  });
}

export function sessionKey(session: RowKey): string {
  return `${session.workspace_id}/${session.id}`;
}
