import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { listen } from '@roadstead/kit';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import type { Conversation } from './conversation.ts';
import { WebSockets } from './web-sockets.ts';

/** One end of a WebSocket on each side. */
async function opened(options: { readonly heartbeat_ms?: number } = {}) {
  const sockets = new WebSockets(options);
  const accepted = Promise.withResolvers<Conversation>();
  const server = await listen(
    () => undefined,
    { host: '127.0.0.1', port: 0 },
    {
      drain_ms: 0,
      onUpgrade: (request, socket, head) =>
        sockets.accept(request, { socket, head, onOpen: accepted.resolve }),
    },
  );
  onTestFinished(() => server[Symbol.asyncDispose]());
  const client = new WebSocket(`ws://127.0.0.1:${server.port}/`);
  client.on('error', () => undefined);
  await once(client, 'open');
  return { sockets, client, conversation: await accepted.promise };
}

const closeCode = async (client: WebSocket) => ((await once(client, 'close')) as [number])[0];
const rawOf = (client: WebSocket) => (client as unknown as { readonly _socket: Socket })._socket;

test('messages are read one after the other, and what is sent arrives whole', async () => {
  const { client, conversation } = await opened();
  for (const text of ['a', 'b', 'c']) client.send(text);
  const read: string[] = [];
  for await (const message of conversation.messages()) {
    read.push(message.toString());
    await setImmediate();
    if (read.length === 3) break;
  }
  expect(read).toEqual(['a', 'b', 'c']);
  const heard: string[] = [];
  client.on('message', (text: Buffer) => heard.push(text.toString()));
  await Promise.all([conversation.send('small'), conversation.send([Buffer.from('la'), Buffer.from('rge')])]);
  await expect.poll(() => heard.toSorted()).toEqual(['large', 'small']);
});

test('reading ends when the client goes', async () => {
  const { client, conversation } = await opened();
  client.close();
  for await (const _ of conversation.messages()) expect.unreachable();
  expect(conversation.signal.aborted).toBe(true);
  await conversation.send('to nobody');
});

test('disposing ends them with a word to come back', async () => {
  const { client, sockets, conversation } = await opened();
  const code = closeCode(client);
  sockets[Symbol.dispose]();
  expect(await code).toBe(1012);
  expect(conversation.signal.aborted).toBe(true);
  expect(() => sockets.accept({} as never, {} as never)).toThrow('come back');
});

test('a message that is too large ends it', async () => {
  const { client } = await opened();
  client.send(Buffer.alloc(8_388_609));
  expect(await closeCode(client)).toBe(1009);
});

test('a client that has gone without a word is noticed, one that answers stays', async () => {
  const gone = await opened({ heartbeat_ms: 5 });
  const there = await opened({ heartbeat_ms: 5 });
  rawOf(gone.client).pause();
  await expect.poll(() => gone.conversation.signal.aborted).toBe(true);
  expect(there.conversation.signal.aborted).toBe(false);
});

test('nothing piles up for a client that does not read', async () => {
  const { client, conversation } = await opened();
  rawOf(client).pause();
  const piece = 'x'.repeat(1_048_576);
  let sent = 0;
  const sending = (async () => {
    for (; sent < 64; sent += 1) await conversation.send(piece);
  })();
  // As much as the buffers of the connection hold, then nothing more.
  let before = -1;
  await expect.poll(() => [before, (before = sent)]).toSatisfy(([one, other]: number[]) => one === other);
  expect(sent).toBeLessThan(32);
  client.terminate();
  await sending;
});
