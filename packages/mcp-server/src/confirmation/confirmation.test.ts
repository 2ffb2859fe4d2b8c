import type { ServerContext } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { createConfirmations } from './confirmation.ts';

const requestOf = (clientId: string) =>
  ({ mcpReq: { method: 'tools/call' }, http: { authInfo: { clientId } } }) as unknown as ServerContext;

test('when another process has the same secret, then it takes the answer from the same caller', async () => {
  const [one, other, foreign] = ['s', 's', 't'].map((secret) => createConfirmations(secret));
  const state = (await one?.mint({ digest: 'd' }, requestOf('key:1'))) ?? '';
  expect(await other?.verify(state, requestOf('key:1'))).toEqual({ digest: 'd' });
  await expect(async () => other?.verify(state, requestOf('key:2'))).rejects.toThrow();
  await expect(async () => foreign?.verify(state, requestOf('key:1'))).rejects.toThrow();
});
