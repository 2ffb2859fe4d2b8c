import type { Clock, Database } from '@roadstead/kit';
import type { RunOperation } from '../ingest/run-operation.ts';
import { type LimitRow, listLimits } from './limit-store.ts';
import { beginsTrace, limitReached, monthOf } from './usage-rules.ts';
import { listDays } from './usage-store.ts';

export interface UsageGate {
  /** @throws Problem `limit` where a trace would begin and the workspace may begin no more this month. */
  requireRoom(workspace_id: string, runs: readonly RunOperation[]): Promise<void>;
  /** What the workspace may begin a month at most, and has begun. */
  read(workspace_id: string): Promise<{ readonly limit: number | undefined; readonly used: number }>;
  /** Its limits were changed here; elsewhere that is seen within seconds. */
  forget(workspace_id: string): void;
}

const FRESH_MS = 5000;
const MAX_CACHED = 10_000;

/** @param monthly_traces what the operator lets each workspace begin a month. */
export function createUsageGate({
  db,
  clock,
  monthly_traces,
}: {
  readonly db: Database;
  readonly clock: Clock;
  readonly monthly_traces: number | undefined;
}): UsageGate {
  const known = new Map<string, { readonly at: number; readonly limits: Promise<LimitRow[]> }>();
  const limitsOf = (workspace_id: string) => {
    const cached = known.get(workspace_id);
    if (cached !== undefined && Math.abs(clock.now() - cached.at) < FRESH_MS) return cached.limits;
    if (known.size >= MAX_CACHED) known.clear();
    const limits = listLimits(db, workspace_id);
    limits.catch(() => known.delete(workspace_id));
    known.set(workspace_id, { at: clock.now(), limits });
    return limits;
  };
  const limitOf = async (workspace_id: string) => {
    const own = (await limitsOf(workspace_id)).find(({ kind }) => kind === 'monthly_traces')?.value;
    const least = Math.min(own ?? Infinity, monthly_traces ?? Infinity);
    return least === Infinity ? undefined : least;
  };
  const usedOf = async (workspace_id: string) => {
    const days = await listDays(db, { workspace_id, ...monthOf(clock.now()) });
    return days.reduce((sum, { traces }) => sum + traces, 0);
  };
  return {
    requireRoom: async (workspace_id, runs) => {
      if (!beginsTrace(runs)) return;
      const limit = await limitOf(workspace_id);
      if (limit !== undefined && (await usedOf(workspace_id)) >= limit) throw limitReached(limit);
    },
    read: async (workspace_id) => ({
      limit: await limitOf(workspace_id),
      used: await usedOf(workspace_id),
    }),
    forget: (workspace_id) => void known.delete(workspace_id),
  };
}
