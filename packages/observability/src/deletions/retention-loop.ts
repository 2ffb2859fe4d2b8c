import { again, type Clock, type Log, Loop } from '@roadstead/kit';
import { type Database, oncePer } from '@roadstead/postgres';
import { dropPartition, ensurePartition, listPartitions } from '../partitions/partition-store.ts';
import { removeRunless } from '../partitions/runless-store.ts';
import { beginDeletion } from './deletion-work.ts';
import { listShorter } from '../retention/retention-settings-store.ts';
import {
  DAY_MS,
  isExpired,
  lastWeekBefore,
  partitionsAhead,
  retention_days,
} from '../partitions/week-rules.ts';

export const RETENTION = 'retention';
const HOUR_MS = 3_600_000;

/**
 * Makes the partitions that will be needed, and drops those whose time has passed. Traces that a workspace keeps for
 * less time are removed one by one.
 */
export function retentionLoop(db: Database, clock: Clock, log: Log): Loop {
  return new Loop({
    name: RETENTION,
    log,
    concurrency: 1,
    resync_ms: HOUR_MS,
    list: async () => [RETENTION],
    reconcile: async () => {
      const work = () => keepPartitions(db, clock.now(), log);
      return again(await oncePer(db, { schema: 'traces', name: RETENTION, every_ms: HOUR_MS, work }));
    },
  });
}

/** One pass; it may be interrupted at any moment and begun again. */
export async function keepPartitions(db: Database, now_ms: number, log: Log): Promise<void> {
  for (const key of partitionsAhead(now_ms)) await ensurePartition(db, key);
  for (const key of await listPartitions(db)) {
    if (!isExpired(key, now_ms)) continue;
    await dropPartition(db, key);
    log.info('expired traces dropped', { ...key });
  }
  for (const { workspace_id, longlived_days } of await listShorter(db, retention_days.longlived)) {
    const scope = { by: 'age', last_week: lastWeekBefore(now_ms, longlived_days) } as const;
    await beginDeletion(db, { workspace_id, scope });
  }
  await removeRunless(db, new Date(now_ms - retention_days.shortlived * DAY_MS).toISOString());
}
