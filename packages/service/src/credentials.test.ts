import { expect, test } from 'vitest';
import { createCredentials } from './credentials.ts';

test('when a key is revoked while an answer is under way, then that answer is forgotten, too', async () => {
  const answers = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  let asked = 0;
  const credentials = createCredentials({
    verifyCredential: async () => {
      const assertion = (await answers[asked++]?.promise) ?? '';
      return { assertion, expires_at: new Date(Date.now() + 60_000).toISOString() };
    },
  });
  const headers = new Headers({ 'x-api-key': 'k' });
  const first = credentials.inward(headers, 'platform');
  credentials.forget();
  answers[0]?.resolve('before');
  expect(await first).toEqual({ assertion: 'before' });
  answers[1]?.resolve('after');
  expect(await credentials.inward(headers, 'platform')).toEqual({ assertion: 'after' });
});

test('when a key is too long, then it is refused without asking', async () => {
  const credentials = createCredentials({
    verifyCredential: () => Promise.reject(new Error('asked')),
  });
  const headers = new Headers({ 'x-api-key': 'k'.repeat(5000) });
  expect(await credentials.inward(headers, 'platform')).toMatchObject({
    refused: { kind: 'unauthenticated' },
  });
});
