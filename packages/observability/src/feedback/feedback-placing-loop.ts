import { again, type Clock, type Log, Loop } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { listRunsWithUnplacedFeedback, placeFeedback } from './feedback-placing-store.ts';

const KEY = 'feedback';
const RESYNC_MS = 30_000;
/** The age at which feedback stops waiting for its run: a run ingested since would have placed it. */
const PAST_MS = 3_600_000;
const PAGE = 1000;

/**
 * Places feedback whose run was written at the same moment, so that neither saw the other, by a process that was
 * killed before it looked again.
 */
export function feedbackPlacingLoop(db: Database, clock: Clock, log: Log): Loop {
  return new Loop({
    name: 'feedback placing',
    log,
    concurrency: 1,
    resync_ms: RESYNC_MS,
    list: async () => [KEY],
    reconcile: async () => {
      const since = new Date(clock.now() - PAST_MS).toISOString();
      const runs = await listRunsWithUnplacedFeedback(db, { since, limit: PAGE });
      for (const [workspace_id, some] of Map.groupBy(runs, (run) => run.workspace_id))
        await placeFeedback(db, { workspace_id, run_ids: some.map((run) => run.run_id) });
      return again(runs.length === PAGE ? 0 : RESYNC_MS);
    },
  });
}
