import { type Log, Loop, settled } from '@roadstead/kit';
import type { Database, Transaction } from '@roadstead/postgres';
import { type GuardedFetch, openOutbox, type OutboxOptions, type SentMessage } from '@roadstead/outbound';
import { EventFeed } from './event-feed.ts';
import { hasUnpublished, lockPublishing, type PublishedEvent, publishSome } from './event-store.ts';

/** Each event becomes a message to up to a hundred webhooks, while other publishers wait. */
const AT_ONCE = 100;
const RESYNC_MS = 1000;
const EVENTS = 'events';

export interface Events extends AsyncDisposable {
  /** Publishes what is committed, so that a later read finds it. */
  caughtUp(): Promise<void>;
  readonly follow: EventFeed['follow'];
  /** Called when something may have happened. */
  wake(): void;
}

/** Receivers outside, which are sent published events. */
export interface Subscribers extends Required<Pick<OutboxOptions, 'locate' | 'onVerdict'>> {
  /** The messages about events that are published in this transaction. */
  readonly messagesAbout: (tx: Transaction, events: readonly PublishedEvent[]) => Promise<SentMessage[]>;
}

interface EventsOptions {
  readonly db: Database;
  readonly log: Log;
  readonly subscribers: Subscribers;
  /** Calls their addresses. */
  readonly outbound: GuardedFetch;
  readonly schema: string;
}

/**
 * Publishes events: numbers them after their commit, in one transaction with the messages to subscribers, and sends
 * them to followers. The maker of an event waits for nobody.
 */
export function startEvents({ db, log, subscribers, outbound, schema }: EventsOptions): Events {
  const feed = new EventFeed(db);
  const outbox = openOutbox({
    db,
    schema,
    log,
    fetch: outbound,
    locate: subscribers.locate,
    onVerdict: subscribers.onVerdict,
  });
  const publish = () =>
    db.transaction(async (tx) => {
      const events = await publishSome(await lockPublishing(tx), AT_ONCE);
      return outbox.addAll(tx, await subscribers.messagesAbout(tx, events));
    });
  const caughtUp = async () => {
    while (await hasUnpublished(db)) for (const message of await publish()) outbox.wake(message);
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
    [Symbol.asyncDispose]: async () => {
      await loop[Symbol.asyncDispose]();
      await outbox[Symbol.asyncDispose]();
    },
  };
}
