import type { Database } from '@roadstead/postgres';
import { expect } from 'vitest';

/** Keeps runs from being written until it is disposed, so that a test can act while a request waits to be committed. */
export async function lockRuns(db: Database): Promise<AsyncDisposable> {
  const locked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const held = db.transaction(async (tx) => {
    await tx.run('lock table traces.runs in exclusive mode');
    locked.resolve();
    await released.promise;
  });
  await Promise.race([locked.promise, held]);
  return {
    async [Symbol.asyncDispose]() {
      released.resolve();
      await held;
    },
  };
}

/** Resolves when a connection waits to write runs; with its process at the server. */
export async function untilLocked(db: Database): Promise<number> {
  const waiting = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    and query like '%insert into traces.runs %'`;
  await expect.poll(() => db.query(waiting), { interval: 10 }).toHaveLength(1);
  return (await db.one<{ pid: number }>(waiting)).pid;
}
