import { setImmediate } from 'node:timers/promises';
import { silentLog } from '@roadstead/kit';
import { expect, test } from 'vitest';
import { type LiveRun, liveRunOf } from '../runs/live-run.ts';
import { LiveRuns } from '../runs/live-runs.ts';
import type { DriveResult } from './run-driver.ts';
import { RunSchedule } from './run-schedule.ts';
import { Suspicions } from './suspicions.ts';

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
    live: new LiveRuns(),
    driver: { drive: (run) => (run === first ? lost.promise : new Promise(() => {})) },
    finisher: { dismiss: () => dismissed.promise },
    stored: {
      rollBack: async () => undefined,
      hasCheckpoint: () => looked.promise,
      continueTask: async () => undefined,
    },
    suspicions: new Suspicions(),
    log: silentLog,
  });
  const [first, next, again] = [runOf('lost'), runOf('next'), runOf('lost')];
  for (const run of [first, next]) schedule.add(run);
  lost.resolve('unconfirmed');
  await setImmediate();
  schedule.add(again);
  schedule.cancel('lost', { action: 'rollback', reason: 'It was cancelled.' });
  looked.resolve(true);
  await setImmediate();
  let isGone = false;
  const gone = schedule.rolledBack('lost').then(() => (isGone = true));
  await setImmediate();
  expect(isGone).toBe(false);
  dismissed.resolve();
  await gone;
});
