import { type Database, type Log, Loop, settled } from '@roadstead/kit';
import { EventFeed } from './event-feed.ts';
import { hasUnpublished, lockPublishing, publishSome } from './event-store.ts';

const AT_ONCE = 500;
const RESYNC_MS = 1000;
const EVENTS = 'events';

export interface Events extends AsyncDisposable {
  /** Publishes what is committed, so that whoever reads afterwards finds it. */
  caughtUp(): Promise<void>;
  readonly follow: EventFeed['follow'];
  /** Something may have happened. */
  wake(): void;
}

/** Publishes events: numbers them after their commit, and gives them to those who follow. */
export function startEvents({ db, log }: { readonly db: Database; readonly log: Log }): Events {
  const feed = new EventFeed(db);
  const caughtUp = async () => {
    while (await hasUnpublished(db))
      await db.transaction(async (tx) => publishSome(await lockPublishing(tx), AT_ONCE));
    await feed.advance();
  };
  const loop = new Loop({
    name: EVENTS,
    log,
    resync_ms: RESYNC_MS,
    list: async () => [EVENTS],
    reconcile: async () => {
      await caughtUp();
      return settled;
    },
  }).start();
  return {
    caughtUp,
    follow: (following, signal) => feed.follow(following, signal),
    wake: () => loop.wake(EVENTS),
    [Symbol.asyncDispose]: () => loop[Symbol.asyncDispose](),
  };
}
