import { fileURLToPath } from 'node:url';
import { eventually, useFixture } from '@roadstead/testing';
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { has_python, needsLanguage } from '../support/languages.ts';
import { dataHome, startPlatform } from '../support/platform.ts';

/** WebSockets of an app in Python through all that is before it: the port, the router, the engine and the graph host. */

const folder = fileURLToPath(new URL('../agents/python', import.meta.url));
const home = useFixture(dataHome);
const platform = useFixture(() => startPlatform(home().path));
beforeEach((context) => needsLanguage('python', context));
beforeAll(async () => {
  if (!has_python) return;
  const { code, stderr } = await platform().run('deploy', folder, '--config', 'web.json', '--name', 'web');
  if (code !== 0) throw new Error(stderr);
});

/** What the app says of a message that it heard. */
interface HeardMessage {
  readonly process: string;
  readonly to: string;
  readonly said: string;
  readonly key: string | null;
}

/** A client, once it knows whether it was let in: a status where it was not. */
async function connect(headers: Readonly<Record<string, string>>) {
  const address = `${platform().url.replace('http', 'ws')}/agents/web/live/ann`;
  const socket = new WebSocket(address, { headers });
  onTestFinished(() => socket.terminate());
  socket.on('error', () => undefined);
  const heard: HeardMessage[] = [];
  socket.on('message', (data: Buffer) => heard.push(JSON.parse(data.toString()) as HeardMessage));
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  const opened = await new Promise<number | 'open'>((resolve) => {
    socket.on('open', () => resolve('open'));
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
  });
  const say = async (text: string): Promise<HeardMessage> => {
    const before = heard.length;
    socket.send(text);
    await expect.poll(() => heard.length).toBeGreaterThan(before);
    return heard[before] as HeardMessage;
  };
  return { socket, opened, closed, say };
}

const known = () => connect({ 'x-api-key': platform().key });

test.each<[string, Readonly<Record<string, string>>]>([
  ['no key', {}],
  ['a key of nobody', { 'x-api-key': `rs_${'n'.repeat(43)}` }],
])('when a WebSocket is opened with %s, then it is refused', async (_, headers) => {
  expect((await connect(headers)).opened).toBe(401);
});

test('when a WebSocket is opened with a key, then it speaks with the app, which sees no key', async () => {
  const { opened, say } = await known();
  expect(opened).toBe('open');
  expect(await say('hello')).toMatchObject({ to: 'ann', said: 'hello', key: null });
  expect(await say('ü'.repeat(100_000))).toMatchObject({ said: 'ü'.repeat(100_000) });
});

test('when the graph host ends, then so do its WebSockets, and later ones reach the next host', async () => {
  const first = await known();
  const before = await first.say('hello');
  first.socket.send('end');
  // Nobody is left who knows where a frame ends.
  expect(await first.closed).toBe(1006);
  const next = await eventually(async () => {
    const client = await known();
    expect(client.opened).toBe('open');
    return client;
  });
  const after = await next.say('again');
  expect(after).toMatchObject({ to: 'ann', said: 'again' });
  expect(after.process).not.toBe(before.process);
});
