import { expect, test } from 'vitest';
import { fewAtOnce } from './few-at-once.ts';

test('when much is asked, then a few are under way at a time, in turn, whatever becomes of them', async () => {
  const few = fewAtOnce(3);
  const [begun, ends]: [number[], PromiseWithResolvers<void>[]] = [[], []];
  let [under_way, most] = [0, 0];
  const all = Array.from({ length: 10 }, (_, number) =>
    few(async () => {
      begun.push(number);
      most = Math.max(most, (under_way += 1));
      ends[number] = Promise.withResolvers<void>();
      await ends[number].promise.finally(() => (under_way -= 1));
    }),
  );
  const settled = Promise.allSettled(all);
  for (let number = 0; number < 10; number += 1) {
    await expect.poll(() => ends[number]).toBeDefined();
    if (number % 2 === 0) ends[number]?.resolve();
    else ends[number]?.reject(new Error('It fails.'));
  }
  const ways = (await settled).map(({ status }) => status);
  expect(ways.filter((status) => status === 'rejected')).toHaveLength(5);
  expect([begun, most]).toEqual([[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 3]);
});
