import { expect, test } from 'vitest';
import { z } from 'zod';
import { endpoint } from '@roadstead/contracts';
import { lineSafeBytes } from '@roadstead/json';
import { silentLog } from '@roadstead/kit';
import { serve } from '../serving/serve.ts';
import { longestHold, MOST_HELD_MS } from '@roadstead/testing';

/** JSON of nothing but such characters, in one piece: 24 MB. */
const bytes = Buffer.from(`"${'\u2028\u0085'.repeat(5_000_000)}"`);

const contract = {
  say: endpoint({ method: 'GET', path: '/', summary: 'Says it', params: z.object({}), auth: 'public' }),
};
const served = serve(
  contract,
  {
    say: async () =>
      new Response(ReadableStream.from([bytes]), { headers: { 'content-type': 'application/json' } }),
  },
  { service: 'test', verify: () => undefined, log: silentLog },
);

test('when an answer is full of breaks of lines, then it does not hold the event loop', async () => {
  let length = 0;
  const hold = await longestHold(async () => {
    const { body } = await served.fetch(new Request('http://test/'));
    for await (const piece of body ?? []) length += piece.length;
  });
  expect(length).toBe(60_000_002);
  expect(hold).toBeLessThan(MOST_HELD_MS);
});

test('when a message is full of breaks of lines, then it does not hold the event loop', async () => {
  const hold = await longestHold(() => lineSafeBytes([bytes]));
  expect(hold).toBeLessThan(MOST_HELD_MS);
});
