import { expect, test } from 'vitest';
import { turnsOfFew } from './turns.ts';

test('when twelve ask for a turn, then four go on in each turn of the event loop, in their order', async () => {
  const turnOfFew = turnsOfFew();
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
