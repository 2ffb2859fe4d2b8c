import { execFileSync } from 'node:child_process';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { HEAP_GROWTH, settleHeap } from './started-heap.ts';

test('what nobody holds any more is given back at once', async () => {
  const held = { held: true };
  const refs = [new WeakRef({}), new WeakRef(held)];
  // Until the end of this turn whatever a reference was made of stays.
  await setImmediate();
  settleHeap();
  expect(refs.map((ref) => ref.deref() !== undefined)).toEqual([false, true]);
  expect(held).toEqual({ held: true });
});

test('this Node knows the flag: one that it doesn’t know keeps a process from starting', () => {
  const run = (flag: string) => () => execFileSync(process.execPath, [flag, '-e', ''], { stdio: 'ignore' });
  expect(run(HEAP_GROWTH)).not.toThrow();
  expect(run('--heap-growing-per-mille=2000')).toThrow();
});
