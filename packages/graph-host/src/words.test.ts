import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { HostUnderTest } from './testing/host-process.ts';

const agents = fileURLToPath(new URL('../fixtures/agents', import.meta.url));

const host = useFixture(() => new HostUnderTest(agents));

const tell = (content: string, thread_id = randomUUID()) =>
  host().run({ thread_id, graph_id: 'words', input: { messages: [{ role: 'user', content }] } });

test('when a graph rejects what it is told, then the run ends with its words', async () => {
  const { outcome } = await tell('reject');
  const error = { message: 'Only invoices are handled here.', rejected: true };
  expect(outcome).toMatchObject({ outcome: 'error', error });
});

test('when a graph throws otherwise, then it is no rejection', async () => {
  const { outcome } = await tell('something that is not known');
  expect(outcome).toMatchObject({ outcome: 'error', error: { name: 'TypeError' } });
  expect(outcome).not.toHaveProperty('error.rejected');
});

test('when a graph asks for credentials, then it goes on with them', async () => {
  const thread_id = randomUUID();
  const asked = await tell('sign in', thread_id);
  expect(asked.outcome).toMatchObject({
    interrupts: [{ value: { message: 'Sign in at the bank.' }, wants: 'credentials' }],
  });
  const { events } = await host().run({ thread_id, graph_id: 'words', resume: { value: 'a token' } });
  expect(events).toMatchObject([{ message: { text: 'Signed in with a token.' } }]);
});

test('when a message stands by itself, then it is told so', async () => {
  const { events } = await tell('greet');
  expect(events).toMatchObject([{ kind: 'message', message: { text: 'Hello.', by_itself: true } }]);
});

test('when a message has a file, then it has parts', async () => {
  const { events } = await tell('draw');
  const file = { kind: 'file', file: { bytes: 'iVBO' }, media_type: 'image/png' };
  expect(events).toMatchObject([
    { kind: 'message', message: { text: 'Here: ', parts: [{ kind: 'text', text: 'Here: ' }, file] } },
  ]);
});
