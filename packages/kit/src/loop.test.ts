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

test('a pass and a listing that take too long are told, again and again, until they end', async () => {
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

test('a key woken during its pass runs once more; a failed pass runs again, later', async () => {
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
