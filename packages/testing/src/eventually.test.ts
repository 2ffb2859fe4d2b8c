import { expect, test } from 'vitest';
import { eventually } from './eventually.ts';

test('when an attempt fails for more than a second, then the first that succeeds is the answer', async () => {
  let attempts = 0;
  const answer = eventually(async () => {
    attempts += 1;
    if (attempts < 60) throw new Error('not yet');
    return attempts;
  });
  await expect(answer).resolves.toBe(60);
});
