import { expect, test } from 'vitest';
import { BuildSlots } from './build-slots.ts';

const calm = new AbortController().signal;

test('builds wait for a slot, in order, and one that is given up takes none', async () => {
  const slots = new BuildSlots(1);
  const order: string[] = [];
  const first = await slots.take(calm);
  const stop = new AbortController();
  const givenUp = slots.take(stop.signal);
  const second = slots.take(calm).then((slot) => (order.push('second'), slot));
  const third = slots.take(calm).then((slot) => (order.push('third'), slot));
  stop.abort(new Error('given up'));
  await expect(givenUp).rejects.toThrow('given up');
  expect(order).toEqual([]);
  first[Symbol.dispose]();
  (await second)[Symbol.dispose]();
  (await third)[Symbol.dispose]();
  expect(order).toEqual(['second', 'third']);
  using _free = await slots.take(calm);
  await expect(slots.take(stop.signal)).rejects.toThrow('given up');
});
