import { again, type Clock, type Log, Loop } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { ensurePartition } from '../partitions/partition-store.ts';
import { DAY_MS } from '../partitions/week-rules.ts';
import {
  forgetExtension,
  forgetOldExtensions,
  listWishedTraces,
  moveTrace,
  type WishedTrace,
} from './extension-store.ts';

/** The loop has one key only. */
export const EXTENSIONS = 'extensions';
const RESYNC_MS = 5000;
const PAGE = 100;
const LONGEST_WAIT_MS = DAY_MS;
const TO_TIER = 'longlived';

/** Extends the retention of traces for whose runs somebody asked for it. */
export function extensionLoop({
  db,
  clock,
  log,
  moved,
}: {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** Called after runs of a workspace were moved. */
  readonly moved: (workspace_id: string) => void;
}): Loop {
  return new Loop({
    name: 'retention extension',
    log,
    concurrency: 1,
    resync_ms: RESYNC_MS,
    list: async () => [EXTENSIONS],
    reconcile: async (_, signal) => {
      const traces = await listWishedTraces(db, PAGE);
      await extend(db, traces, signal);
      for (const workspace_id of new Set(traces.map((trace) => trace.workspace_id))) moved(workspace_id);
      await forgetOldExtensions(db, new Date(clock.now() - LONGEST_WAIT_MS).toISOString());
      return again(traces.length === PAGE ? 0 : RESYNC_MS);
    },
  });
}

/** Extends each trace by itself: it is moved and its request removed in one transaction. */
async function extend(db: Database, traces: readonly WishedTrace[], signal: AbortSignal): Promise<void> {
  for (const trace of traces) {
    if (signal.aborted) break;
    if (trace.tier !== TO_TIER) await ensurePartition(db, { tier: TO_TIER, week: trace.week });
    await db.patientTransaction(async (tx) => {
      if (trace.tier !== TO_TIER) await moveTrace(tx, { ...trace, to_tier: TO_TIER });
      await forgetExtension(tx, trace);
    });
  }
}
