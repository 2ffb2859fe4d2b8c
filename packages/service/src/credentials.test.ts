import { expect, test } from 'vitest';
import { createCredentials } from './credentials.ts';

test('an answer that was under way when a key was revoked is forgotten, too', async () => {
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

test('a key that is too long is refused without asking', async () => {
  const credentials = createCredentials({
    verifyCredential: () => Promise.reject(new Error('asked')),
  });
  const headers = new Headers({ 'x-api-key': 'k'.repeat(5000) });
  expect(await credentials.inward(headers, 'platform')).toMatchObject({
    refused: { kind: 'unauthenticated' },
  });
});
