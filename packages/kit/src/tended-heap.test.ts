import { execFileSync } from 'node:child_process';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { HEAP_GROWTH, tendHeap } from './tended-heap.ts';

test('when nobody holds a thing any more, then it is given back at once', async () => {
  const held = { held: true };
  const refs = [new WeakRef({}), new WeakRef(held)];
  // A target stays alive until the end of the turn in which a reference to it was made.
  await setImmediate();
  using _heap = tendHeap();
  expect(refs.map((ref) => ref.deref() !== undefined)).toEqual([false, true]);
  expect(held).toEqual({ held: true });
});

test('when the heap is tended, then all is collected at once, and again once it grew and rests', async () => {
  let forced = 0;
  const observer = new PerformanceObserver((list) => {
    const collections = list.getEntries() as unknown as readonly {
      readonly detail: { readonly flags: number };
    }[];
    for (const { detail } of collections)
      if ((detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) > 0) forced += 1;
  });
  observer.observe({ entryTypes: ['gc'] });
  using _heap = tendHeap({ look_ms: 50 });
  await expect.poll(() => forced).toBeGreaterThan(0);
  const before = forced;
  const grown = Array.from({ length: 16_000_000 }, (_, at) => at);
  await expect.poll(() => forced).toBeGreaterThan(before);
  observer.disconnect();
  expect(grown.length).toBe(16_000_000);
});

test('when Node gets the flag, then it knows it; one that it doesn’t know it refuses', () => {
  const run = (flag: string) => () => execFileSync(process.execPath, [flag, '-e', ''], { stdio: 'ignore' });
  expect(run(HEAP_GROWTH)).not.toThrow();
  expect(run('--heap-growing-per-mille=2000')).toThrow();
});
