import { type Database, type Log, Loop, settled } from '@roadstead/kit';
import type { PriceBook } from './price-book.ts';
import { listOpenApplications } from './price-application-store.ts';
import { applyPricesToSome } from './price-application-work.ts';

/** Applies prices to stored runs, where that was asked for. A key is a workspace. */
export function priceApplicationLoop({
  db,
  book,
  log,
}: {
  readonly db: Database;
  readonly book: PriceBook;
  readonly log: Log;
}): Loop {
  return new Loop({
    name: 'prices',
    log,
    concurrency: 1,
    resync_ms: 60_000,
    list: () => listOpenApplications(db),
    reconcile: async (workspace_id, signal) => {
      // What was changed through another instance counts, too.
      book.forget(workspace_id);
      let isMore = true;
      while (isMore && !signal.aborted) {
        const priceOf = await book.of([workspace_id]);
        isMore = await applyPricesToSome(db, { workspace_id, priceOf });
      }
      return settled;
    },
  });
}
