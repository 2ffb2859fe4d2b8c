import { randomUUID } from 'node:crypto';
import { useFixture } from '@roadstead/testing';
import { beforeAll, expect, test } from 'vitest';
import { openAgent } from '../testing/open-agent.ts';

/** What graphs say in A2A's words (`docs/a2a-words.md`), on real hosts. */

const agent = useFixture(openAgent);
beforeAll(() => agent().serve('11111111-1111-4111-8111-111111111111'));

interface Result {
  readonly id: string;
  readonly contextId: string;
}

async function send(text: string, { method = 'message/send', ids = {} } = {}): Promise<Result> {
  const part = method === 'message/send' ? { kind: 'text', text } : { text };
  const role = method === 'message/send' ? 'user' : 'ROLE_USER';
  const message = { role, messageId: randomUUID(), parts: [part], ...ids };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { message } });
  return ((await (await agent().call('words', body)).json()) as { result: Result }).result;
}

test('when a graph rejects what it is told, then its own words say so', async () => {
  expect(await send('reject')).toMatchObject({
    status: { state: 'rejected', message: { parts: [{ text: 'Only invoices are handled here.' }] } },
  });
});

test('when a graph asks for credentials, then it goes on with them', async () => {
  const asked = await send('sign in');
  expect(asked).toMatchObject({
    status: { state: 'auth-required', message: { parts: [{ kind: 'text', text: 'Sign in at the bank.' }] } },
  });
  const { id: taskId, contextId } = asked;
  expect(await send('a token', { ids: { taskId, contextId } })).toMatchObject({
    id: taskId,
    status: { state: 'completed' },
    artifacts: [{ parts: [{ text: 'Signed in with a token.' }] }],
  });
});

test('when an answer is a message by itself, then it is one in both versions', async () => {
  const parts = [{ kind: 'text', text: 'Hello.' }];
  const answer = await send('greet');
  expect(answer).toMatchObject({ kind: 'message', role: 'agent', parts });
  expect(answer).not.toHaveProperty('taskId');
  expect(answer.contextId).toMatch(/^[\da-f-]{36}$/);
  expect(await send('greet', { method: 'SendMessage' })).toMatchObject({
    message: { role: 'ROLE_AGENT', parts: [{ text: 'Hello.' }] },
  });
});

test('when a graph makes a file, then it is a part of the artifact', async () => {
  const file = { kind: 'file', file: { bytes: 'iVBO', mimeType: 'image/png' } };
  expect(await send('draw')).toMatchObject({
    artifacts: [{ parts: [{ kind: 'text', text: 'Here: ' }, file] }],
  });
});
