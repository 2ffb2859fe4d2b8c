import { generateKeyPairSync } from 'node:crypto';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { createSecretBox, silentLog } from '@roadstead/kit';
import { openDatabase } from '@roadstead/postgres';
import { oauthPages } from '../pages/device-pages.ts';
import { callProvider } from './call-provider.ts';
import { createProvider } from './provider.ts';

const db = useFixture(() =>
  openDatabase({ url: 'postgres://nobody@127.0.0.1:1/none', max: 1, name: 'away' }),
);
const provider = useFixture(() => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const [private_key, public_key] = [privateKey, publicKey].map((key) => key.export({ format: 'jwk' }));
  return createProvider(
    {
      db: db(),
      secret_box: createSecretBox(['a secret of the tests']),
      log: silentLog,
      public_url: 'http://127.0.0.1:1',
      outbound: undefined,
      pages: oauthPages,
      revokeGrant: async () => undefined,
    },
    [{ id: 'one', private_key: { ...private_key, alg: 'EdDSA', kid: 'one' }, public_key: public_key ?? {} }],
  );
});

const ask = async (method: string, target: string, body?: string) =>
  callProvider(provider(), {
    method,
    target,
    headers: new Headers({ accept: body === undefined ? 'text/html' : 'application/json' }),
    ...(body === undefined ? {} : { body, content_type: 'application/x-www-form-urlencoded' }),
  });

test('when the database is away, then a client is asked to come again, and loses no token', async () => {
  const answer = await ask('POST', '/oauth/token', 'grant_type=refresh_token&client_id=x&refresh_token=y');
  expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toEqual([
    503,
    '1',
    { error: 'temporarily_unavailable', error_description: expect.stringContaining('database is away') },
  ]);
});

test('when the database is away, then a page tells people so', async () => {
  const answer = await ask('GET', '/oauth/authorize?client_id=x&redirect_uri=http://127.0.0.1/&scope=a');
  expect([answer.status, answer.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8']);
  expect(await answer.text()).toContain('database is away');
});
