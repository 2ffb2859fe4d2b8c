import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { collectStartGarbage } from './started-heap.ts';

test('what nobody holds any more is given back at once', async () => {
  const held = { held: true };
  const refs = [new WeakRef({}), new WeakRef(held)];
  // Until the end of this turn whatever a reference was made of stays.
  await setImmediate();
  collectStartGarbage();
  expect(refs.map((ref) => ref.deref() !== undefined)).toEqual([false, true]);
  expect(held).toEqual({ held: true });
});
