import type { Clock } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { type LimitRow, listLimits } from './limit-store.ts';
import { limitReached, monthOf, type ReachedLimit } from './usage-rules.ts';
import { listDays, readBytes } from './usage-store.ts';

export interface UsageGate {
  /** Checks that one more trace may begin. @throws Problem `limit` where the workspace may begin no more this month. */
  requireRoom(workspace_id: string): Promise<void>;
  /** The largest number of traces that the workspace may begin a month, and the reason why it may begin no more. */
  read(
    workspace_id: string,
  ): Promise<{ readonly traces: number | undefined; readonly reached: ReachedLimit | undefined }>;
  /** Forgets the limits of a workspace that were changed here; other instances notice within seconds. */
  forget(workspace_id: string): void;
}

/** The monthly limits that the operator sets for each workspace. */
export interface Allowance {
  readonly monthly_traces?: number | undefined;
  readonly monthly_bytes?: number | undefined;
}

const FRESH_MS = 5000;
const MAX_CACHED = 10_000;

export function createUsageGate({
  db,
  clock,
  allowance,
}: {
  readonly db: Database;
  readonly clock: Clock;
  readonly allowance: Allowance;
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
  const limitOf = async (workspace_id: string, kind: ReachedLimit['kind']) => {
    const own = (await limitsOf(workspace_id)).find((limit) => limit.kind === kind)?.value;
    const least = Math.min(own ?? Infinity, allowance[kind] ?? Infinity);
    return least === Infinity ? undefined : least;
  };
  const usedOf = {
    monthly_traces: async (workspace_id: string) => {
      const days = await listDays(db, { workspace_id, ...monthOf(clock.now()) });
      return days.reduce((sum, { traces }) => sum + traces, 0);
    },
    monthly_bytes: (workspace_id: string) => readBytes(db, { workspace_id, ...monthOf(clock.now()) }),
  } as const;
  const reachedBy = async (workspace_id: string): Promise<ReachedLimit | undefined> => {
    for (const kind of ['monthly_traces', 'monthly_bytes'] as const) {
      const limit = await limitOf(workspace_id, kind);
      if (limit !== undefined && (await usedOf[kind](workspace_id)) >= limit) return { kind, limit };
    }
    return undefined;
  };
  return {
    requireRoom: async (workspace_id) => {
      const reached = await reachedBy(workspace_id);
      if (reached !== undefined) throw limitReached(reached);
    },
    read: async (workspace_id) => ({
      traces: await limitOf(workspace_id, 'monthly_traces'),
      reached: await reachedBy(workspace_id),
    }),
    forget: (workspace_id) => void known.delete(workspace_id),
  };
}
