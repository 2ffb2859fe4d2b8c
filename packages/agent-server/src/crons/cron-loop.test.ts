import { expect, test } from 'vitest';
import { Problem, silentLog } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import type { Run } from '../runs/run.ts';
import { engineDatabase } from '../testing/engine-database.ts';
import { CronLoop, type CronLoopOptions, nextRun } from './cron-loop.ts';
import { findCron, insertCron, type NewCron } from './cron-store.ts';
import type { Cron } from './cron.ts';

const assistant_id = crypto.randomUUID();

function newCron(more: Partial<NewCron> = {}): NewCron {
  const times = { schedule: '* * * * *', timezone: null, end_time: null, enabled: true, ...more };
  return {
    assistant_id,
    thread_id: null,
    principal: 'workspace:w',
    user: null,
    on_run_completed: 'delete',
    payload: {},
    metadata: {},
    marks: {},
    ...times,
    ...nextRun(times, new Date(Date.now() - 3 * 3_600_000)),
    ...more,
  };
}

async function make(db: Database, epoch: number, more: Partial<NewCron> = {}): Promise<Cron> {
  const made = await insertCron(db, { cron: newCron(more), epoch });
  if (made === undefined) throw new Error('not made');
  return made;
}

/** Runs in memory, by their ids. */
function fakeRuns() {
  const begun: { readonly run_id: string; readonly cron_id: string }[] = [];
  const asRun = (run_id: string) => ({ run_id }) as unknown as Run;
  return {
    begun,
    runs: {
      find: async (run_id: string) =>
        begun.some((one) => one.run_id === run_id) ? asRun(run_id) : undefined,
    },
    begin: async ({ cron_id }: Cron, run_id: string) => {
      begun.push({ run_id, cron_id });
      return asRun(run_id);
    },
  };
}

const open = (options: Omit<CronLoopOptions, 'log'>) => new CronLoop({ ...options, log: silentLog }).start();

test('when times of a cron were missed, then one run makes up for them, with an id of its own', async () => {
  await using own = await engineDatabase();
  const { db } = own;
  const epoch = await own.takeEpoch();
  const cron = await make(db, epoch);
  const fake = fakeRuns();
  await using _ = open({ db, epoch, ...fake });
  const after = async () => (await findCron(db, cron.cron_id))?.next_run_date ?? '';
  await expect.poll(async () => Date.parse(await after())).toBeGreaterThan(Date.now());
  expect(fake.begun).toEqual([{ run_id: cron.next_run_id, cron_id: cron.cron_id }]);
  expect((await findCron(db, cron.cron_id))?.next_run_id).not.toBe(cron.next_run_id);
});

test('when a process dies after a run has begun, then the next finds that run and goes on', async () => {
  await using own = await engineDatabase();
  const { db } = own;
  const epoch = await own.takeEpoch();
  const cron = await make(db, epoch);
  const fake = fakeRuns();
  await fake.begin(cron, cron.next_run_id as string);
  await using _ = open({ db, epoch, ...fake });
  await expect.poll(async () => (await findCron(db, cron.cron_id))?.next_run_id).not.toBe(cron.next_run_id);
  expect(fake.begun).toHaveLength(1);
});

test('when a cron’s times come, then a run begins each time, until the cron ends', async () => {
  await using own = await engineDatabase();
  const { db } = own;
  const epoch = await own.takeEpoch();
  const fake = fakeRuns();
  await using loop = open({ db, epoch, ...fake });
  const end_time = new Date(Date.now() + 3500).toISOString();
  const times = { schedule: '* * * * * *', timezone: null, end_time, enabled: true };
  const cron = await make(db, epoch, { ...times, ...nextRun(times, new Date()) });
  loop.expect(cron);
  const next = async () => (await findCron(db, cron.cron_id))?.next_run_date;
  await expect.poll(next).toBeNull();
  expect(fake.begun.length).toBeGreaterThanOrEqual(2);
  expect(new Set(fake.begun.map(({ run_id }) => run_id)).size).toBe(fake.begun.length);
});

test('when a run is refused, then it is left out; one that can’t begin now is tried again', async () => {
  await using own = await engineDatabase();
  const { db } = own;
  const epoch = await own.takeEpoch();
  const [refused, away] = [await make(db, epoch), await make(db, epoch)];
  const fake = fakeRuns();
  let tries = 0;
  const begin: CronLoopOptions['begin'] = (cron, run_id) => {
    if (cron.cron_id === refused.cron_id) throw new Problem('not_found', 'There is no such assistant.');
    tries += 1;
    if (tries === 1) throw new Problem('unavailable', 'Nothing serves.');
    return fake.begin(cron, run_id);
  };
  await using _ = open({ db, epoch, runs: fake.runs, begin });
  await expect.poll(() => fake.begun).toEqual([{ run_id: away.next_run_id, cron_id: away.cron_id }]);
  const date = (await findCron(db, refused.cron_id))?.next_run_date ?? '';
  expect(Date.parse(date)).toBeGreaterThan(Date.now());
});

test('when an engine is replaced, then it makes and moves no cron', async () => {
  await using own = await engineDatabase();
  const { db } = own;
  const stale = await own.takeEpoch();
  const cron = await make(db, stale);
  const epoch = await own.takeEpoch();
  await expect(insertCron(db, { cron: newCron(), epoch: stale })).resolves.toBeUndefined();
  const fake = fakeRuns();
  await using _ = open({ db, epoch: stale, ...fake });
  await expect.poll(() => fake.begun.length).toBe(1);
  expect((await findCron(db, cron.cron_id))?.next_run_id).toBe(cron.next_run_id);
  const after = fakeRuns();
  await using __ = open({ db, epoch, runs: fake.runs, begin: after.begin });
  await expect.poll(async () => (await findCron(db, cron.cron_id))?.next_run_id).not.toBe(cron.next_run_id);
  expect(after.begun).toEqual([]);
});
