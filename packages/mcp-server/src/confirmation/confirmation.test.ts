import type { ServerContext } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { createConfirmations } from './confirmation.ts';

const requestOf = (clientId: string) =>
  ({ mcpReq: { method: 'tools/call' }, http: { authInfo: { clientId } } }) as unknown as ServerContext;

test('when another process has the same secret, then it takes the answer from the same caller', async () => {
  const [one, other, foreign] = ['s', 's', 't'].map((secret) => createConfirmations([secret]));
  const state = (await one?.mint({ digest: 'd' }, requestOf('key:1'))) ?? '';
  expect(await other?.verify(state, requestOf('key:1'))).toEqual({ digest: 'd' });
  await expect(async () => other?.verify(state, requestOf('key:2'))).rejects.toThrow();
  await expect(async () => foreign?.verify(state, requestOf('key:1'))).rejects.toThrow();
});

test('when a secret is changed in one process after the other, then each takes all answers', async () => {
  const request = requestOf('key:1');
  const processes = [['old'], ['old', 'new'], ['new', 'old']].map((secrets) => createConfirmations(secrets));
  const [before, during, after] = await Promise.all(
    processes.map((one) => one.mint({ digest: 'd' }, request)),
  );
  const takes = (process: number, state = '') =>
    processes[process]?.verify(state, request).then(
      () => true,
      () => false,
    );
  for (const state of [before, during])
    for (const process of [0, 1, 2]) expect(await takes(process, state)).toBe(true);
  for (const process of [1, 2]) expect(await takes(process, after)).toBe(true);
  expect(await takes(0, after)).toBe(false);
});
