import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { attemptCall } from './attempt.ts';

const said = 'one\u2028two\u2029three\u0085four';
const text = JSON.stringify({ said });

test.each([
  ['text', text],
  ['bytes', Buffer.from(text)],
])('when a message is sent as %s, then its receiver reads it on one line, and signed', async (_, body) => {
  const secret = `whsec_${randomBytes(24).toString('base64')}`;
  const received: [body: string, headers: Record<string, string>][] = [];
  const attempted = await attemptCall(
    async (request) => {
      received.push([await request.text(), Object.fromEntries(request.headers)]);
      return new Response(null, { status: 204 });
    },
    { url: 'http://receiver.test/hook', id: 'one', body, secrets: [secret] },
    new AbortController().signal,
  );
  expect(attempted).toMatchObject({ kind: 'answered', status: 204 });
  const [[line, headers]] = received as [(typeof received)[0]];
  expect(line).toBe(String.raw`{"said":"one\u2028two\u2029three\u0085four"}`);
  expect(new Webhook(secret).verify(line, headers)).toEqual({ said });
});
