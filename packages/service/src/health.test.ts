import { Agent, get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { json } from 'node:stream/consumers';
import { listen } from '@roadstead/http';
import { expect, onTestFinished, test } from 'vitest';
import { type Health, openFrontDoor } from './health.ts';

async function opened(health: () => Promise<Health>) {
  const door = openFrontDoor({ listener: (_request, response) => response.end('"served"'), health });
  const server = await listen(door.listener, { host: '127.0.0.1', port: 0 }, { drain_ms: 0 });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const ask = async (path: string) => {
    const asked = get({ host: '127.0.0.1', port: server.port, path, agent });
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    return { status: answer.statusCode, body: await json(answer), connection: answer.headers.connection };
  };
  return { ask, leave: door.leave };
}

const healthy = { ready: true, warnings: ['The disk is nearly full.'] };

test.each<[string, () => Promise<Health>, number, object]>([
  ['it can work', async () => healthy, 200, { ok: true, warnings: healthy.warnings }],
  ['it cannot work', async () => ({ ready: false, warnings: [] }), 503, { detail: 'It is not ready yet.' }],
  [
    'that cannot be known',
    () => Promise.reject(new Error('no database')),
    503,
    { detail: 'Its readiness could not be determined.' },
  ],
])('when %s, then /ok says so, and the rest is served', async (_what, health, status, body) => {
  const { ask } = await opened(health);
  expect(await ask('/ok')).toMatchObject({ status, body });
  expect(await ask('/other')).toMatchObject({ status: 200, body: 'served', connection: 'keep-alive' });
});

test('when it leaves, then a balancer is told, and what still comes is served', async () => {
  const { ask, leave } = await opened(async () => healthy);
  expect(await ask('/ok')).toMatchObject({ status: 200, connection: 'keep-alive' });
  leave();
  expect(await ask('/ok')).toMatchObject({ status: 503, body: { detail: 'It is being stopped.' } });
  expect(await ask('/other')).toMatchObject({ status: 200, body: 'served', connection: 'close' });
});
