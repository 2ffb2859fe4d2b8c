import { setImmediate } from 'node:timers/promises';
import { silentLog } from '@roadstead/kit';
import { expect, test } from 'vitest';
import { type LiveRun, liveRunOf } from '../runs/live-run.ts';
import type { DriveResult } from './run-driver.ts';
import { RunSchedule } from './run-schedule.ts';

const runOf = (run_id: string): LiveRun =>
  liveRunOf({ run_id, thread_id: 't', task_id: null, not_before: null, kwargs: {} } as never, {
    has_checkpoint: false,
    task: undefined,
  });

test('when a lost run is adopted again, then it is waited for until it is gone', async () => {
  const lost = Promise.withResolvers<DriveResult>();
  const looked = Promise.withResolvers<boolean>();
  const dismissed = Promise.withResolvers<void>();
  const schedule = new RunSchedule({
    driver: { drive: (run: LiveRun) => (run === first ? lost.promise : new Promise(() => {})) } as never,
    finisher: { dismiss: () => dismissed.promise } as never,
    rollBack: async () => undefined,
    hasCheckpoint: () => looked.promise,
    continueTask: async () => undefined,
    onLost: () => undefined,
    log: silentLog,
  });
  const [first, next, again] = [runOf('lost'), runOf('next'), runOf('lost')];
  for (const run of [first, next]) schedule.add(run);
  lost.resolve('unconfirmed');
  await setImmediate();
  schedule.add(again);
  again.cancel = { action: 'rollback', reason: 'It was cancelled.' };
  schedule.cancel(again);
  looked.resolve(true);
  await setImmediate();
  let isGone = false;
  const gone = schedule.rolledBack('lost').then(() => (isGone = true));
  await setImmediate();
  expect(isGone).toBe(false);
  dismissed.resolve();
  await gone;
});
