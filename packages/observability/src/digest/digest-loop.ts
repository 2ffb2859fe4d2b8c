import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { again, type Bound, type Log, Loop, settled } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import {
  findLastChange,
  isPending,
  listChangedWorkspaces,
  lockDigest,
  tryLockDigest,
} from '../records/change-store.ts';
import { digestSome } from './digest-step-work.ts';
import type { OnDigested } from './digest-work.ts';
import { countUndigested, listUndigestedWorkspaces } from './undigested-store.ts';

/** How soon the changes that another instance left behind are noticed. */
const RESYNC_MS = 5000;
/** The pause while another instance works on the same workspace. */
const ELSEWHERE_MS = 1000;
/** Senders of runs go first, as long as the digest gets about a quarter of the time. */
const MOST_YIELD_MS = 200;
const YIELD_MS = 20;
/** The longest wait of a reader, who is then answered without the latest runs. */
const MAX_WAIT_MS = 2000;

/** Each uses a connection. */
const digestBound: Bound<string> = { size: 2, owner: (workspace_id) => [workspace_id] };

export interface Digest extends AsyncDisposable {
  /** Announces that a workspace has something to digest. */
  wake(workspace_id: string): void;
  /**
   * Resolves when search rows and rollups hold everything acknowledged before, so that a query on them finds it;
   * under overload after two seconds. Queries on `runs` alone need not wait.
   */
  caughtUp(workspace_id: string): Promise<void>;
  /** Warnings for the operator, in sentences. */
  warnings(): string[];
}

/** Brings search rows and rollups up to date with the runs. Several instances share the work by workspace. */
export function startDigest({
  db,
  log,
  onDigested,
  isBusy = () => false,
}: {
  readonly db: Database;
  readonly log: Log;
  readonly onDigested: OnDigested;
  /** Whether clients wait for their runs to be written; by default they never do. */
  readonly isBusy?: () => boolean;
}): Digest {
  const step = async (workspace_id: string, lock: typeof lockDigest | typeof tryLockDigest) =>
    db.transaction(async (tx) => {
      const locked = await lock(tx, workspace_id);
      return locked === undefined ? undefined : digestSome(locked, { workspace_id, onDigested, log });
    });
  let undigested = 0;
  const loop = new Loop({
    name: 'digest',
    log,
    concurrency: digestBound.size,
    owner: digestBound.owner,
    resync_ms: RESYNC_MS,
    list: async () => {
      undigested = await countUndigested(db);
      return [...(await listChangedWorkspaces(db)), ...(await listUndigestedWorkspaces(db))];
    },
    reconcile: async (workspace_id) => {
      for (let left_ms = MOST_YIELD_MS; left_ms > 0 && isBusy(); left_ms -= YIELD_MS) await wait(YIELD_MS);
      const did = await step(workspace_id, tryLockDigest);
      if (did === undefined) return again(ELSEWHERE_MS);
      return did ? again(0) : settled;
    },
  }).start();
  /** Readers of one workspace share a step, so that they do not use up the connections. */
  const steps = new Map<string, Promise<unknown>>();
  const sharedStep = async (workspace_id: string) => {
    const running = steps.get(workspace_id);
    if (running !== undefined) return running;
    const started = step(workspace_id, lockDigest).finally(() => steps.delete(workspace_id));
    steps.set(workspace_id, started);
    return started;
  };
  const catchUp = async (workspace_id: string, signal: AbortSignal) => {
    const last = await findLastChange(db, workspace_id);
    if (last === undefined) return;
    while (!signal.aborted && (await isPending(db, { workspace_id, last }))) await sharedStep(workspace_id);
  };
  return {
    wake: (workspace_id) => loop.wake(workspace_id),
    async caughtUp(workspace_id) {
      const signal = AbortSignal.timeout(MAX_WAIT_MS);
      const caught = catchUp(workspace_id, signal).catch((error: unknown) =>
        log.warn('digest failed before an answer', { workspace_id, error }),
      );
      await Promise.race([caught, once(signal, 'abort')]);
    },
    warnings: () =>
      undigested === 0
        ? []
        : [`Runs that could not be digested: ${undigested}. The log shows why; they are tried again.`],
    async [Symbol.asyncDispose]() {
      await loop[Symbol.asyncDispose]();
      await Promise.allSettled(steps.values());
    },
  };
}
