import { again, type Bound, type Log, Loop, settled } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import type { PriceBook } from './price-book.ts';
import { listOpenApplications } from './price-application-store.ts';
import { applyPricesToSome } from './price-application-work.ts';

/** One step at a time: workspaces take turns. */
const priceBound: Bound<string> = { size: 1, owner: (workspace_id) => [workspace_id] };

/** Applies prices to stored runs on request. A key is a workspace. */
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
    concurrency: priceBound.size,
    owner: priceBound.owner,
    resync_ms: 60_000,
    list: () => listOpenApplications(db),
    reconcile: async (workspace_id) => {
      // Changes made through another instance count, too.
      book.forget(workspace_id);
      const priceOf = await book.of([workspace_id]);
      return (await applyPricesToSome(db, { workspace_id, priceOf })) ? again(0) : settled;
    },
  });
}
