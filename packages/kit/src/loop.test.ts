import { expect, test } from 'vitest';
import { createLog } from './log.ts';
import { again, Loop, settled } from './loop.ts';

interface Line {
  readonly message: string;
  readonly key?: string;
}

function told() {
  const lines: Line[] = [];
  return { lines, log: createLog({ level: 'warn', write: (line) => lines.push(JSON.parse(line) as Line) }) };
}

test('when a pass or a listing takes too long, then that is told again and again until it ends', async () => {
  const { lines, log } = told();
  const end = Promise.withResolvers<void>();
  await using loop = new Loop({
    name: 'slow',
    log,
    slow_ms: 20,
    list: async () => end.promise.then(() => []),
    reconcile: async () => end.promise.then(() => settled),
  }).start();
  loop.wake('one');
  const slow = (key?: string) =>
    lines.filter((line) => line.message === 'pass takes long' && line.key === key).length;
  await expect.poll(() => Math.min(slow('one'), slow())).toBeGreaterThanOrEqual(2);
  end.resolve();
});

test('when a key is woken during its pass, or its pass fails, then it runs once more', async () => {
  const { lines, log } = told();
  const passes: number[] = [];
  const first = Promise.withResolvers<void>();
  await using loop = new Loop({
    name: 'again',
    log,
    backoff_ms: { min: 1, max: 4 },
    list: async () => [],
    reconcile: async () => {
      passes.push(passes.length);
      if (passes.length === 1) await first.promise;
      if (passes.length === 2) throw new Error('once');
      return passes.length === 3 ? again(1) : settled;
    },
  });
  loop.wake('one');
  loop.wake('one');
  loop.wake('one');
  first.resolve();
  await expect.poll(() => passes.length).toBe(4);
  expect(lines.map((line) => line.message)).toEqual(['pass failed']);
});

test('when the keys of one owner hold its passes, then those of another begin at once', async () => {
  const begun: string[] = [];
  const end = Promise.withResolvers<void>();
  await using loop = new Loop({
    name: 'owned',
    log: told().log,
    concurrency: 4,
    owner: (key) => [key[0] ?? ''],
    list: async () => [],
    reconcile: async (key) => {
      begun.push(key);
      await end.promise;
      return settled;
    },
  });
  for (const key of ['a1', 'a2', 'a3', 'a4', 'a5', 'b1']) loop.wake(key);
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  end.resolve();
  await expect.poll(() => begun).toEqual(['a1', 'a2', 'b1', 'a3', 'a4', 'a5']);
});

test('when a loop is disposed of, then what waits is not begun', async () => {
  const begun: string[] = [];
  const loop = new Loop({
    name: 'short',
    log: told().log,
    concurrency: 1,
    list: async () => [],
    reconcile: async (key, signal) => {
      begun.push(key);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return settled;
    },
  });
  for (const key of ['one', 'two']) loop.wake(key);
  await loop[Symbol.asyncDispose]();
  loop.wake('three');
  expect(begun).toEqual(['one']);
});

test.each([
  ['all', ['one', 'two']],
  ['the first of what is due', { keys: ['one', 'two'], has_more: true }],
])(
  'when a list tells %s, then each runs, and runs once more where it is listed meanwhile',
  async (_, listing) => {
    const begun: string[] = [];
    const end = Promise.withResolvers<void>();
    let lists = 0;
    await using loop = new Loop({
      name: 'listed',
      log: told().log,
      list: async () => ((lists += 1) < 3 ? listing : []),
      reconcile: async (key) => {
        begun.push(key);
        await end.promise;
        return settled;
      },
    }).start();
    await expect.poll(() => begun).toEqual(['one', 'two']);
    loop.list();
    await expect.poll(() => lists).toBeGreaterThanOrEqual(2);
    end.resolve();
    await expect.poll(() => begun).toEqual(['one', 'two', 'one', 'two']);
  },
);

test('when a listed pass fails, then it waits out its delay or until it is woken', async () => {
  const passes: string[] = [];
  const end = Promise.withResolvers<void>();
  let lists = 0;
  await using loop = new Loop({
    name: 'failing',
    log: told().log,
    backoff_ms: { min: 60_000, max: 60_000 },
    list: async () => ((lists += 1), { keys: ['one'], has_more: true }),
    reconcile: async (key) => {
      passes.push(key);
      await end.promise;
      throw new Error('away');
    },
  }).start();
  await expect.poll(() => lists).toBeGreaterThan(2);
  end.resolve();
  const seen = lists;
  await expect.poll(() => lists).toBeGreaterThan(seen + 2);
  expect(passes).toEqual(['one']);
  loop.wake('one');
  await expect.poll(() => passes).toEqual(['one', 'one']);
});

test('when many keys of an owner wait, then it is told as busy, and another is not', async () => {
  const busy: string[] = [];
  const end = Promise.withResolvers<void>();
  await using loop = new Loop({
    name: 'busy',
    log: told().log,
    owner: (key) => key.split('/', 1),
    resync_ms: 1,
    list: async (isBusy) => {
      busy.splice(0, busy.length, ...['greedy', 'other'].filter(isBusy));
      return [];
    },
    reconcile: async () => end.promise.then(() => settled),
  }).start();
  for (let at = 0; at < 200; at += 1) loop.wake(`greedy/${at}`);
  for (let at = 0; at < 50; at += 1) loop.wake(`other/${at}`);
  await expect.poll(() => busy).toEqual(['greedy']);
  end.resolve();
  await expect.poll(() => busy).toEqual([]);
});

test('when a list tells only the first of what is due, then the rest follows at once', async () => {
  const left = Array.from({ length: 60 }, (_, at) => `quick/${at}`);
  const never = Promise.withResolvers<void>();
  await using _loop = new Loop({
    name: 'more',
    log: told().log,
    resync_ms: 600_000,
    owner: (key) => key.split('/', 1),
    list: async () => ({ keys: ['slow/1', ...left.slice(0, 5)], has_more: true }),
    reconcile: async (key) => {
      if (key.startsWith('slow')) await never.promise;
      else left.splice(left.indexOf(key), 1);
      return settled;
    },
  }).start();
  await expect.poll(() => left).toEqual([]);
  never.resolve();
});
