import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dataHome, freePort, processesOf } from '@roadstead/testing/processes';
import { expect, onTestFinished, test } from 'vitest';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

async function start(given: Record<string, string> = {}) {
  const env: Record<string, string> = { PORT: String(await freePort()), ...given };
  const home = await dataHome();
  onTestFinished(() => home[Symbol.asyncDispose]());
  const folder = join(home.path, 'data');
  const child = spawn(process.execPath, [main, 'up'], {
    env: {
      PATH: process.env['PATH'],
      NO_COLOR: '1',
      ROADSTEAD_DATA_DIR: folder,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => (said += bytes.toString()));
  const ended = once(child, 'close') as Promise<[number | null, string | null]>;
  const port = Number(env['PORT']);
  return {
    child,
    port,
    folder,
    ended,
    said: () => said,
    until: async (text: string) => {
      await expect.poll(() => said, { timeout: 120_000, interval: 1 }).toContain(text);
    },
  };
}

test.each(['  Postgres', '  services', '  data plane'])(
  'when Ctrl-C comes during %s, then the start stops and leaves no process',
  async (phase) => {
    const { child, folder, ended, said, until } = await start();
    await until(phase);
    child.kill('SIGINT');
    child.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
    expect(said()).toMatch(/stopping: .*\nstopped\n$/);
    expect(said()).not.toMatch(/ready at|roadstead:/);
    await expect.poll(() => processesOf(folder)).toEqual([]);
  },
);

test('when Ctrl-C is repeated while a database is silent, then nobody waits for the database', async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const { child, ended, until } = await start({ DATABASE_URL: `postgres://me@127.0.0.1:${port}/x` });
  await until('  Postgres');
  child.kill('SIGINT');
  const insist = setInterval(() => child.kill('SIGINT'), 300);
  expect(await ended).toEqual([130, null]);
  clearInterval(insist);
});

test('when a request arrives while the platform stops, then it is asked to come again', async () => {
  const { child, port, ended, until } = await start();
  await until('ready at');
  const late = connect(port, '127.0.0.1');
  await once(late, 'connect');
  late.write('GET /v2/deployments HTTP/1.1\r\nhost: here\r\n');
  // Waits until it has arrived.
  expect((await fetch(`http://127.0.0.1:${port}/ok`)).status).toBe(200);
  child.kill('SIGTERM');
  const refused = () =>
    fetch(`http://127.0.0.1:${port}/ok`).then(
      () => false,
      () => true,
    );
  await expect.poll(refused).toBe(true);
  late.write('\r\n');
  const [answer] = (await once(late, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1.1 503 [^]*Roadstead is stopping/);
  expect(await ended).toEqual([0, null]);
});
