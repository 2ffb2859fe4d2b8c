import { type Log, Loop, settled } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import type { LogId, LogWatch } from '../context/context.ts';
import { createNotifier } from '../context/notifier.ts';
import { listNewest } from './log-store.ts';

/** Notices when followed logs have grown: one query for all of them. */

const RESYNC_MS = 1000;
const LOGS = 'logs';

interface WatchedLog extends LogId {
  followers: number;
  /** The newest chunk that was seen. */
  newest: number;
}

export function startLogWatch({
  db,
  log,
}: {
  readonly db: Database;
  readonly log: Log;
}): LogWatch & AsyncDisposable {
  const watched = new Map<string, WatchedLog>();
  const notifier = createNotifier();
  const look = async () => {
    if (watched.size === 0) return settled;
    for (const { newest, ...id } of await listNewest(db, [...watched.values()])) {
      const one = watched.get(nameOf(id));
      if (one === undefined || one.newest >= newest) continue;
      one.newest = newest;
      notifier.notify(nameOf(id));
    }
    return settled;
  };
  const loop = new Loop({
    name: LOGS,
    log,
    resync_ms: RESYNC_MS,
    list: async () => [LOGS],
    reconcile: look,
  }).start();
  return {
    open: ({ deployment_id, kind }) => {
      const name = nameOf({ deployment_id, kind });
      const one = watched.get(name) ?? { deployment_id, kind, followers: 0, newest: -1 };
      one.followers += 1;
      watched.set(name, one);
      return {
        count: () => notifier.count(name),
        newest: () => one.newest,
        wait: (count, { ms, signal }) => notifier.wait(name, { count, ms }, signal),
        [Symbol.dispose]: () => {
          one.followers -= 1;
          if (one.followers === 0) watched.delete(name);
        },
      };
    },
    wake: () => {
      if (watched.size > 0) loop.wake(LOGS);
    },
    [Symbol.asyncDispose]: () => loop[Symbol.asyncDispose](),
  };
}

const nameOf = ({ deployment_id, kind }: LogId) => `${deployment_id}/${kind}`;
