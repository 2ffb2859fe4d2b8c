import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { listen } from '@roadstead/http';
import { Admission } from '@roadstead/kit';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import type { Conversation } from './conversation.ts';
import { WebSockets } from './web-sockets.ts';

/** One end of a WebSocket on each side. */
async function opened({
  owner = ['w', 'caller'],
  ...options
}: {
  readonly heartbeat_ms?: number;
  readonly unfinished?: Admission;
  readonly owner?: readonly [string, string];
} = {}) {
  const sockets = new WebSockets(options);
  const accepted = Promise.withResolvers<Conversation>();
  const server = await listen(
    () => undefined,
    { host: '127.0.0.1', port: 0 },
    {
      drain_ms: 0,
      onUpgrade: (request, socket, head) =>
        sockets.accept(request, { socket, head, owner, onOpen: accepted.resolve }),
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

test('when messages come, then they are read one after the other; what is sent arrives whole', async () => {
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

test('when the client goes, then reading ends', async () => {
  const { client, conversation } = await opened();
  client.close();
  for await (const _ of conversation.messages()) expect.unreachable();
  expect(conversation.signal.aborted).toBe(true);
  await conversation.send('to nobody');
});

test('when the sockets are disposed of, then clients are told to come back', async () => {
  const { client, sockets, conversation } = await opened();
  const code = closeCode(client);
  sockets[Symbol.dispose]();
  expect(await code).toBe(1012);
  expect(conversation.signal.aborted).toBe(true);
  expect(() => sockets.accept({} as never, {} as never)).toThrow('come back');
});

test('when a message is too large, then the connection ends', async () => {
  const { client } = await opened();
  client.send(Buffer.alloc(8_388_609));
  expect(await closeCode(client)).toBe(1009);
});

test('when a client has gone without a word, then that is noticed; one that answers stays', async () => {
  const gone = await opened({ heartbeat_ms: 5 });
  const there = await opened({ heartbeat_ms: 5 });
  rawOf(gone.client).pause();
  await expect.poll(() => gone.conversation.signal.aborted).toBe(true);
  expect(there.conversation.signal.aborted).toBe(false);
});

test('when a client does not read, then nothing piles up for it', async () => {
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

/** As much of a message as is said, and never its end. */
function sendUnfinished(client: WebSocket, bytes: number): void {
  client.send(Buffer.alloc(bytes), { fin: false });
}
const isClosed = (client: WebSocket) => client.readyState === client.CLOSED;

test('when a caller fills the memory with unfinished messages, then its connections are closed', async () => {
  const unfinished = new Admission({ size: 8_000_000 });
  const flood = await Promise.all(
    Array.from({ length: 14 }, () => opened({ unfinished, owner: ['greedy', 'one'] })),
  );
  const others = await Promise.all([
    opened({ unfinished, owner: ['greedy', 'another'] }),
    opened({ unfinished, owner: ['w', 'one'] }),
    opened({ unfinished, owner: ['w', 'one'] }),
  ]);
  for (const { client } of others) sendUnfinished(client, 200_000);
  for (const { client } of flood) sendUnfinished(client, 1_000_000);
  await expect.poll(() => flood.filter(({ client }) => isClosed(client)).length).toBeGreaterThanOrEqual(12);
  expect(unfinished.held(['greedy'])).toBeLessThanOrEqual(4_000_000);
  expect(unfinished.held(['greedy', 'one'])).toBeLessThanOrEqual(2_000_000);
  for (const { client, conversation } of others) {
    expect(isClosed(client)).toBe(false);
    client.send(Buffer.alloc(100_000), { fin: true });
    const { value } = await conversation.messages().next();
    expect((value as Buffer).length).toBe(300_000);
  }
  for (const { client } of [...flood, ...others]) client.terminate();
  await expect.poll(() => unfinished.held()).toBe(0);
});

test('when memory is short, then the connection that holds most is evicted for a smaller one', async () => {
  const unfinished = new Admission({ size: 2_000_000, most: [1_500_000, 1_500_000] });
  const large = await opened({ unfinished, owner: ['large', 'one'] });
  const middle = await opened({ unfinished, owner: ['middle', 'one'] });
  sendUnfinished(large.client, 1_200_000);
  await expect.poll(() => unfinished.held(['large'])).toBeGreaterThan(1_200_000);
  const code = closeCode(large.client);
  sendUnfinished(middle.client, 900_000);
  expect(await code).toBe(1013);
  await expect.poll(() => unfinished.held(['middle'])).toBeGreaterThan(900_000);
  expect(isClosed(middle.client)).toBe(false);
});

test('when a message has come in whole, then it holds nothing, and neither do pings and pongs', async () => {
  const unfinished = new Admission({ size: 8_000_000 });
  const { client, conversation } = await opened({ unfinished, heartbeat_ms: 5 });
  let pings = 0;
  client.on('ping', () => (pings += 1));
  client.send(Buffer.alloc(500_000));
  expect((await conversation.messages().next()).done).toBe(false);
  for (let at = 0; at < 20; at += 1) client.ping('here');
  await expect.poll(() => pings).toBeGreaterThan(20);
  await expect.poll(() => unfinished.held()).toBeLessThan(1000);
  sendUnfinished(client, 100_000);
  for (let at = 0; at < 20; at += 1) client.ping('here');
  const before = pings;
  await expect.poll(() => pings).toBeGreaterThan(before + 20);
  expect(unfinished.held()).toBeGreaterThanOrEqual(100_000);
});

test('when a message has more fragments than any client makes, then it is refused', async () => {
  const { client } = await opened();
  const code = closeCode(client);
  for (let at = 0; at < 1025; at += 1) client.send('x', { fin: false });
  expect(await code).toBe(1008);
});
