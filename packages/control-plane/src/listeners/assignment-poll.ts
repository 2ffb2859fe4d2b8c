import type { Context } from '../context.ts';
import { Problem } from '@roadstead/kit';
import { listAssignments } from './assignment-answer.ts';
import {
  findLease,
  type Lease,
  type ListenerWord,
  renewLease,
  staleFence,
  takeLease,
} from './listener-store.ts';

/** How often a waiting poll looks by itself: another instance's bell is not heard here. */
const LOOK_MS = 1000;

export interface Poll extends ListenerWord {
  readonly listener_id: string;
  readonly workspace_id: string;
  /** 0 without a fence is a restart. */
  readonly since: number;
  readonly fence: number | undefined;
  readonly wait_s: number;
}

/** Heartbeat, lease and news in one. Throws `not_found`, and `conflict` when another life of the listener has the lease. */
export async function pollAssignments(context: Context, poll: Poll, signal: AbortSignal) {
  const lease = await beginPoll(context, poll);
  const wait_ms = isRestart(poll) ? 0 : poll.wait_s * 1000;
  const assignments = await waitForNews(context, { ...poll, fence: lease.fence }, { wait_ms, signal });
  const renewed = await renewLease(context.db, poll.listener_id, { ...poll, fence: lease.fence });
  if (renewed === undefined) throw staleFence();
  return {
    assignments,
    // What was drawn since comes again: it is the state before the news was read that is surely known.
    generation: Math.max(lease.generation, ...assignments.map((one) => one.generation)),
    fence: lease.fence,
    lease_expires_at: renewed.lease_expires_at,
  };
}

const isRestart = ({ since, fence }: Poll) => since === 0 && fence === undefined;

async function beginPoll(context: Context, poll: Poll): Promise<Lease> {
  const { db } = context;
  const known = await findLease(db, { workspace_id: poll.workspace_id, id: poll.listener_id });
  if (known === undefined) throw new Problem('not_found', 'There is no such listener for this key.');
  if (isRestart(poll)) return db.transaction((tx) => takeLease(tx, poll.listener_id, poll));
  // A generation that was never drawn is of a database that is no more; a restart sets that right.
  if (poll.fence === undefined || poll.since > known.generation) throw staleFence();
  const renewed = await renewLease(db, poll.listener_id, { ...poll, fence: poll.fence });
  if (renewed === undefined) throw staleFence();
  return renewed;
}

async function waitForNews(
  context: Context,
  at: { readonly listener_id: string; readonly since: number; readonly fence: number },
  { wait_ms, signal }: { readonly wait_ms: number; readonly signal: AbortSignal },
) {
  const until = performance.now() + wait_ms;
  const ended = AbortSignal.any([signal, context.stopping]);
  for (;;) {
    const mark = context.bell.mark(at.listener_id);
    const news = await listAssignments(context, context.db, at);
    const left_ms = until - performance.now();
    if (news.length > 0 || left_ms <= 0 || ended.aborted) return news;
    await context.bell.wait(at.listener_id, { mark, ms: Math.min(LOOK_MS, left_ms) }, ended);
  }
}
