import { expect, test } from 'vitest';
import { turnOfFew } from './turns.ts';

test('four go on in one turn of the event loop, the others in later ones, in the order of asking', async () => {
  let turn = 0;
  let counting = true;
  const count = () => {
    turn += 1;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  const had = await Promise.all(Array.from({ length: 12 }, () => turnOfFew().then(() => turn)));
  counting = false;
  expect([...Map.groupBy(had, (one) => one).values()].map((ones) => ones.length)).toEqual([4, 4, 4]);
  expect(had).toEqual(had.toSorted((one, other) => one - other));
});
