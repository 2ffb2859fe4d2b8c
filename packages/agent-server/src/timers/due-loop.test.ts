import { expect, test } from 'vitest';
import { type Clock, settled, silentLog } from '@roadstead/kit';
import { DueLoop } from './due-loop.ts';

/** Things with a time, in memory. */
function timetable(times: Readonly<Record<string, number>>, { limit = 100 } = {}) {
  const due = new Map(Object.entries(times));
  const asked: number[] = [];
  const done: string[] = [];
  return {
    due,
    asked,
    done,
    list: async (now_ms: number) => {
      asked.push(now_ms);
      const sorted = [...due].toSorted(([, a], [, b]) => a - b);
      const now = sorted.filter(([, at]) => at <= now_ms);
      return {
        due: now.slice(0, limit).map(([key]) => key),
        has_more: now.length > limit,
        next_ms: sorted.find(([, at]) => at > now_ms)?.[1],
      };
    },
    reconcile: async (key: string) => {
      due.delete(key);
      done.push(key);
      return settled;
    },
  };
}

const options = { name: 'test', log: silentLog };

test('when the loop starts, then it does what is due, and what comes later at its time', async () => {
  const now = Date.now();
  const table = timetable({ past: now - 1000, soon: now + 150, later: now + 3_600_000 });
  await using loop = new DueLoop({ ...options, ...table });
  loop.start();
  await expect.poll(() => table.done).toEqual(['past', 'soon']);
  expect(table.asked).toHaveLength(2);
});

test('when an earlier time is told later, then the alarm moves', async () => {
  const now = Date.now();
  const table = timetable({ later: now + 3_600_000 });
  await using loop = new DueLoop({ ...options, ...table }).start();
  await expect.poll(() => table.asked.length).toBe(1);
  table.due.set('new', now + 50);
  loop.expect(now + 50);
  await expect.poll(() => table.done).toEqual(['new']);
});

test('when more is due than a list holds, then it is done all the same', async () => {
  const times = Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`${at}`, at]));
  const table = timetable(times, { limit: 10 });
  await using _ = new DueLoop({ ...options, ...table }).start();
  await expect.poll(() => table.done.length).toBe(25);
  expect(table.asked).toHaveLength(3);
});

test('when a list fails, then it is asked for again', async () => {
  const table = timetable({ past: 0 });
  let failures = 1;
  await using _ = new DueLoop({
    ...options,
    ...table,
    list: (now_ms) => (failures-- > 0 ? Promise.reject(new Error('away')) : table.list(now_ms)),
  }).start();
  await expect.poll(() => table.done).toEqual(['past']);
});

test('when a clock jumps, as after a computer slept, then it is noticed at the next glance', async () => {
  let now = 0;
  const clock: Clock = { now: () => now };
  const table = timetable({ tomorrow: 86_400_000 });
  await using loop = new DueLoop({ ...options, ...table, clock }).start();
  await expect.poll(() => table.asked.length).toBe(1);
  now = 90_000_000;
  loop.expect(80_000_000);
  await expect.poll(() => table.done).toEqual(['tomorrow']);
});

test('when a pass fails while more is due, then it waits out its delay and the others go on', async () => {
  const passes: string[] = [];
  const times = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`${at}`, at]));
  const table = timetable(times, { limit: 10 });
  await using loop = new DueLoop({
    ...options,
    ...table,
    reconcile: async (key) => {
      passes.push(key);
      if (Number(key) < 5) throw new Error('away');
      return table.reconcile(key);
    },
  }).start();
  // Work that becomes due meanwhile is looked at again.
  const telling = setInterval(() => loop.expect(Date.now()), 5);
  await expect.poll(() => table.done.length).toBe(25);
  await expect.poll(() => table.asked.length).toBeGreaterThan(20);
  clearInterval(telling);
  expect(passes.filter((key) => Number(key) < 5)).toHaveLength(5);
});
