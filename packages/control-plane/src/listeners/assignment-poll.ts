import type { Database } from '@roadstead/postgres';
import type { Context } from '../context/context.ts';
import {
  endLease,
  forgiveOutage,
  isFenceOf,
  type InstanceReport,
  type Lease,
  listInstances,
  renewLease,
  staleFence,
  takeLease,
} from '../records/instance-store.ts';
import { readGeneration } from '../records/listener-store.ts';
import { type LeasedPoll, listAssignments } from './assignment-answer.ts';
import { dealAssignments, type DealState, isSameDeal, readDealState } from './deal-work.ts';

/** How often a waiting poll looks by itself: other instances do not notify it. */
const LOOK_MS = 1000;
/** The same while a deployment is handed over, for which callers wait. */
const MOVING_LOOK_MS = 100;

export interface Poll extends InstanceReport {
  readonly listener_id: string;
  readonly workspace_id: string;
  /** Empty for the only one of its listener. */
  readonly instance: string;
  /** Whether it runs nothing any more. */
  readonly has_left: boolean;
  /** 0 without a fence means a restart. */
  readonly since: number;
  readonly fence?: number | undefined;
  readonly wait_s: number;
}

/** Heartbeat, lease and news in one call. Throws `not_found`, and `conflict` when the fence is stale. */
export async function pollAssignments(context: Context, poll: Poll, signal: AbortSignal) {
  const { db } = context;
  const { listener_id, instance } = poll;
  const lease = await beginPoll(db, poll);
  const { fence } = lease;
  const wait_ms = isRestart(poll) || poll.has_left ? 0 : poll.wait_s * 1000;
  if (poll.has_left) await endLease(db, poll, lease);
  const assignments = await waitForNews(
    context,
    { listener_id, instance, since: poll.since },
    { wait_ms, signal },
  );
  // Whoever has waited is not heard of again by that: it may be gone.
  if (!(await isFenceOf(db, poll, { fence }))) throw staleFence();
  const others = (await listInstances(db, listener_id)).filter(
    (one) => one.name !== instance && one.is_live && !one.is_draining,
  );
  return {
    assignments,
    // A generation drawn since may be missing from the news, so only the one known before reading them is answered.
    generation: Math.max(lease.generation, ...assignments.map((one) => one.generation)),
    fence,
    lease_expires_at: lease.lease_expires_at,
    others: others.length,
  };
}

const isRestart = ({ since, fence }: Poll) => since === 0 && fence === undefined;

async function beginPoll(db: Database, poll: Poll): Promise<Lease> {
  const generation = await readGeneration(db, { workspace_id: poll.workspace_id, id: poll.listener_id });
  if (poll.instance !== '') await forgiveOutage(db, poll.listener_id);
  if (isRestart(poll)) return db.transaction((tx) => takeLease(tx, poll, poll));
  // A generation that was never drawn means that the database was set back; the listener has to start from the
  // beginning.
  if (poll.fence === undefined || poll.since > generation) throw staleFence();
  const renewed = await renewLease(db, poll, { ...poll, fence: poll.fence });
  if (renewed === undefined) throw staleFence();
  return renewed;
}

async function waitForNews(
  context: Context,
  at: LeasedPoll,
  { wait_ms, signal }: { readonly wait_ms: number; readonly signal: AbortSignal },
) {
  const { db, notifier } = context;
  const until = performance.now() + wait_ms;
  const ended = AbortSignal.any([signal, context.stopping]);
  let dealt: DealState | undefined;
  for (;;) {
    const count = notifier.count(at.listener_id);
    dealt = await deal(context, at.listener_id, dealt);
    const news = await listAssignments(context, db, at);
    const left_ms = until - performance.now();
    if (news.length > 0 || left_ms <= 0 || ended.aborted) return news;
    const look_ms = dealt.is_moving ? MOVING_LOOK_MS : LOOK_MS;
    await notifier.wait(at.listener_id, { count, ms: Math.min(look_ms, left_ms) }, ended);
  }
}

/** Deals the listener's deployments where that may change anything; answers for which state it did. */
async function deal(
  { db, notifier }: Context,
  listener_id: string,
  before: DealState | undefined,
): Promise<DealState> {
  const now = await readDealState(db, listener_id);
  if (before !== undefined && isSameDeal(before, now)) return now;
  const isDealt = await db.transaction((tx) => dealAssignments(tx, listener_id));
  if (isDealt) notifier.notify(listener_id);
  return now;
}
