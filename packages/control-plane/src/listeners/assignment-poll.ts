import type { Context } from '../context/context.ts';
import { type LeasedPoll, listAssignments } from './assignment-answer.ts';
import {
  type Lease,
  type ListenerReport,
  readLease,
  renewLease,
  staleFence,
  takeLease,
} from '../records/listener-store.ts';

/** How often a waiting poll looks by itself: other instances do not notify it. */
const LOOK_MS = 1000;

export interface Poll extends ListenerReport {
  readonly listener_id: string;
  readonly workspace_id: string;
  /** 0 without a fence means a restart. */
  readonly since: number;
  readonly fence?: number | undefined;
  readonly wait_s: number;
}

/** Heartbeat, lease and news in one call. Throws `not_found`, and `conflict` when the fence is stale. */
export async function pollAssignments(context: Context, poll: Poll, signal: AbortSignal) {
  const lease = await beginPoll(context, poll);
  const wait_ms = isRestart(poll) ? 0 : poll.wait_s * 1000;
  const assignments = await waitForNews(context, { ...poll, fence: lease.fence }, { wait_ms, signal });
  const renewed = await renewLease(context.db, poll.listener_id, { ...poll, fence: lease.fence });
  if (renewed === undefined) throw staleFence();
  return {
    assignments,
    // A generation drawn since may be missing from the news, so only the one known before reading them is answered.
    generation: Math.max(lease.generation, ...assignments.map((one) => one.generation)),
    fence: lease.fence,
    lease_expires_at: renewed.lease_expires_at,
  };
}

const isRestart = ({ since, fence }: Poll) => since === 0 && fence === undefined;

async function beginPoll(context: Context, poll: Poll): Promise<Lease> {
  const { db } = context;
  const known = await readLease(db, { workspace_id: poll.workspace_id, id: poll.listener_id });
  if (isRestart(poll)) return db.transaction((tx) => takeLease(tx, poll.listener_id, poll));
  // A generation that was never drawn means that the database was set back; the listener has to start from the
  // beginning.
  if (poll.fence === undefined || poll.since > known.generation) throw staleFence();
  const renewed = await renewLease(db, poll.listener_id, { ...poll, fence: poll.fence });
  if (renewed === undefined) throw staleFence();
  return renewed;
}

async function waitForNews(
  context: Context,
  at: LeasedPoll,
  { wait_ms, signal }: { readonly wait_ms: number; readonly signal: AbortSignal },
) {
  const until = performance.now() + wait_ms;
  const ended = AbortSignal.any([signal, context.stopping]);
  for (;;) {
    const count = context.notifier.count(at.listener_id);
    const news = await listAssignments(context, context.db, at);
    const left_ms = until - performance.now();
    if (news.length > 0 || left_ms <= 0 || ended.aborted) return news;
    await context.notifier.wait(at.listener_id, { count, ms: Math.min(LOOK_MS, left_ms) }, ended);
  }
}
