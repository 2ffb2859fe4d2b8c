import { again, type Clock, type Database, type Log, Loop } from '@roadstead/kit';
import { dropPartition, ensurePartition, listPartitions } from './partition-store.ts';
import { removeOrphans } from './orphan-store.ts';
import { DAY_MS, isExpired, partitionsAhead, retention_days } from './week-rules.ts';

const KEY = 'retention';
const HOUR_MS = 3_600_000;

/** Makes the partitions that will be needed, and drops those whose time is over. */
export function retentionLoop(db: Database, clock: Clock, log: Log): Loop {
  return new Loop({
    name: KEY,
    log,
    concurrency: 1,
    resync_ms: HOUR_MS,
    list: async () => [KEY],
    reconcile: async () => {
      await keepPartitions(db, clock.now(), log);
      return again(HOUR_MS);
    },
  });
}

/** One pass; may be ended at any moment and begun again. */
export async function keepPartitions(db: Database, now_ms: number, log: Log): Promise<void> {
  for (const key of partitionsAhead(now_ms)) await ensurePartition(db, key);
  for (const key of await listPartitions(db)) {
    if (!isExpired(key, now_ms)) continue;
    await dropPartition(db, key);
    log.info('traces dropped: their time is over', { ...key });
  }
  await removeOrphans(db, new Date(now_ms - retention_days.shortlived * DAY_MS).toISOString());
}
