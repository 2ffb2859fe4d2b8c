import { expect, test } from 'vitest';
import { createSecretBox } from '@roadstead/kit';
import type { OpenPush } from './push-config.ts';
import { PushSender, sealSecrets } from './push-sender.ts';

test('when a receiver does not answer, then it holds a quarter of the senders, and all is sent', async () => {
  const box = createSecretBox(['key']);
  let under_way = 0;
  let most = 0;
  const gate = Promise.withResolvers<void>();
  const sender = new PushSender({
    box,
    fetch: async ({ url }) => {
      if (!url.includes('receiver')) return new Response();
      under_way += 1;
      most = Math.max(most, under_way);
      await gate.promise;
      under_way -= 1;
      return new Response();
    },
  });
  const push: OpenPush = {
    task_id: 't',
    config_id: 'c',
    url: 'https://receiver.test/',
    scheme: undefined,
    traceparent: null,
    owner: { principal: 'workspace:w', assistant_id: 'a' },
    version: '1.0',
    secrets: null,
    seq: 1,
    sending: null,
    attempts: 0,
    due_at: null,
  };
  const send = (seq: number, to = push) =>
    sender.send(to, {
      notification: { text: '{}', content_type: 'application/json', seq, covers_to: seq },
      counted: { attempts: 1, random: 0 },
      signal: new AbortController().signal,
    });
  const sends = Array.from({ length: 80 }, (_, seq) => send(seq));
  await expect.poll(() => under_way).toBe(16);
  // Meanwhile another receiver of the same caller is sent to, and another caller's.
  for (const other of [
    { ...push, url: 'https://well.test/' },
    { ...push, url: 'https://well.test/', owner: { ...push.owner, principal: 'user:b' } },
  ])
    expect(await send(1, other)).toEqual({ state: 'delivered' });
  gate.resolve();
  expect((await Promise.all(sends)).map(({ state }) => state)).toEqual(sends.map(() => 'delivered'));
  expect(most).toBe(16);
});

test('when the deployment’s own key was replaced, then what was sealed is still opened', async () => {
  const key = { task_id: 't', config_id: 'c' };
  const before = createSecretBox(createSecretBox(['old']).keysFor('deployment:d'));
  const after = createSecretBox(createSecretBox(['new', 'old']).keysFor('deployment:d'));
  const sealed = sealSecrets(before, key, { token: 'secret', credentials: undefined }) ?? '';
  expect(after.open(sealed, 'push:t:c')).toContain('secret');
  const other = createSecretBox(createSecretBox(['old']).keysFor('deployment:e'));
  expect(() => other.open(sealed, 'push:t:c')).toThrow('key');
});
