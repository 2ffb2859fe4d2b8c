import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { eventually, useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { startFixture } from '../../packages/data-plane/src/testing/data-plane-fixture.ts';
import { sourceArchive } from '../../packages/data-plane/src/testing/projects.ts';

/** An edge in a process of its own, a data plane, and a runtime in memory, as calls and WebSockets of agents pass them. */

const fixture = useFixture(startFixture);
useFixture(async () => {
  const { control } = fixture();
  const revision = control.revisionOf(await sourceArchive('works', ''));
  const id = control.desire('mine', { revision });
  await eventually(() => {
    if (control.activeOf(id) !== revision.id) throw new Error('No revision is active.');
  });
});
const edge = useFixture(async () => {
  const { control, config } = fixture();
  const main = join(import.meta.dirname, '..', '..', 'packages', 'cli', 'src', 'main.ts');
  const elsewhere = 'http://127.0.0.1:9';
  const child = spawn(process.execPath, [main, 'serve', 'edge'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PORT: '0',
      ROADSTEAD_URL: 'http://roadstead.example',
      ROADSTEAD_IDENTITY_URL: control.url,
      ROADSTEAD_CONTROL_PLANE_URL: control.url,
      ROADSTEAD_OBSERVABILITY_URL: elsewhere,
      ROADSTEAD_MCP_SERVER_URL: elsewhere,
      ROADSTEAD_DATA_PLANE_SOCKET: config.socket,
      ROADSTEAD_EDGE_KEY: 'a key of sixteen characters',
    },
  });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { port } = JSON.parse(line) as { port: number };
  return { port, [Symbol.asyncDispose]: async () => void child.kill() };
});

const wait = { interval: 50 };
const key = () => ({ 'x-api-key': fixture().control.caller_key });

async function call(host: string, path: string): Promise<string> {
  const asked = request({ host: '127.0.0.1', port: edge().port, path, headers: { ...key(), host } }).end();
  const [answer] = (await once(asked, 'response')) as [Parameters<typeof text>[0]];
  return text(answer);
}

/** What is answered on a WebSocket, or with which status there is none. */
async function say(host: string, path: string, headers: Record<string, string> = key()): Promise<string> {
  const socket = new WebSocket(`ws://127.0.0.1:${edge().port}${path}`, { headers: { ...headers, host } });
  return new Promise((resolve, reject) => {
    socket.on('open', () => socket.send('hello'));
    socket.on('message', (said: Buffer) => {
      resolve(said.toString());
      socket.close();
    });
    socket.on('unexpected-response', (_request, { statusCode }) => resolve(String(statusCode)));
    socket.on('error', reject);
  });
}

test('when a WebSocket comes through edge and router, then it reaches an agent and nothing else', async () => {
  expect(await say('roadstead.example', '/agents/mine/chat')).toBe('/chat hello');
  expect(await say('roadstead.example', '/agents/mine/chat', {})).toBe('401');
  expect(await say('roadstead.example', '/v2/deployments')).toBe('404');
});

test('when an agent has a custom address, then it answers there until it is removed', async () => {
  const custom_url = 'https://mine.example.com';
  const where = () => call('mine.example.com', '/where');
  expect(await where()).toContain('Nothing is served');
  fixture().control.desire('mine', { custom_url });
  await expect.poll(where, wait).toBe(JSON.stringify({ url: custom_url }));
  expect(await call('MINE.example.com:8443', '/where?x=1')).toBe(JSON.stringify({ url: custom_url }));
  expect(await call('roadstead.example', '/agents/mine/where')).toBe(JSON.stringify({ url: custom_url }));
  expect(await say('mine.example.com', '/chat')).toBe('/chat hello');
  expect(await say('mine.example.com', '/chat', {})).toBe('401');
  expect(await call('roadstead.example', '/where')).toContain('Nothing is served');
  expect(await call('other.example.com', '/where')).toContain('Nothing is served');
  fixture().control.desire('mine', { removed: true });
  await expect.poll(where, wait).toContain('Nothing is served');
});
