import { again, type Clock, type Database, type Log, Loop } from '@roadstead/kit';
import { ensurePartition } from '../partitions/partition-store.ts';
import { DAY_MS } from '../partitions/week-rules.ts';
import { forgetExtension, forgetOldExtensions, listWishedTraces, moveTrace } from './extension-store.ts';

/** The loop has one key only. */
export const EXTENSIONS = 'extensions';
const RESYNC_MS = 5000;
const PAGE = 100;
const LONGEST_WAIT_MS = DAY_MS;
const TO_TIER = 'longlived';

/** Keeps traces longer whose runs it was wished for. */
export function extensionLoop(db: Database, clock: Clock, log: Log): Loop {
  return new Loop({
    name: 'retention extension',
    log,
    concurrency: 1,
    resync_ms: RESYNC_MS,
    list: async () => [EXTENSIONS],
    reconcile: async (_, signal) => {
      const count = await extendSome(db, signal);
      await forgetOldExtensions(db, new Date(clock.now() - LONGEST_WAIT_MS).toISOString());
      return again(count === PAGE ? 0 : RESYNC_MS);
    },
  });
}

/** Each trace by itself: moved and forgotten in one transaction, or neither. */
async function extendSome(db: Database, signal: AbortSignal): Promise<number> {
  const traces = await listWishedTraces(db, PAGE);
  for (const trace of traces) {
    if (signal.aborted) break;
    if (trace.tier !== TO_TIER) await ensurePartition(db, { tier: TO_TIER, week: trace.week });
    await db.patientTransaction(async (tx) => {
      if (trace.tier !== TO_TIER) await moveTrace(tx, { ...trace, to_tier: TO_TIER });
      await forgetExtension(tx, trace);
    });
  }
  return traces.length;
}
