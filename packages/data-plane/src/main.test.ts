import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { useFixturePerTest, useFolderPerTest } from '@roadstead/testing';
import { beforeEach, expect, inject, onTestFinished, test } from 'vitest';
import { ADDRESS_HEADER } from '@roadstead/contracts';
import { HandOff, listen } from '@roadstead/http';
import { openDatabase } from '@roadstead/postgres';
import { callSocket } from './testing/data-plane-fixture.ts';
import { FakeControlPlane } from './testing/fake-control-plane.ts';
import { sourceArchive } from './testing/projects.ts';

/** The data plane as the platform starts it: its real process, on the process runtime. */

const main = fileURLToPath(new URL('main.ts', import.meta.url));
const wait = { interval: 50 };
/** A start takes long on a busy machine. */
const patient = { timeout: 120_000, interval: 50 };

const folder = useFolderPerTest('main-');
const control = useFixturePerTest(() => FakeControlPlane.start());
const stack = useFixturePerTest(() => new AsyncDisposableStack());
let child: ChildProcess;
beforeEach(async () => {
  child = await start();
});

function begin(environment: Readonly<Record<string, string>> = {}) {
  const started = spawn(process.execPath, [main, '--secrets-from-stdin'], {
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      ROADSTEAD_DATA_PLANE_SOCKET: join(folder(), 's'),
      ROADSTEAD_CONTROL_URL: control().url,
      ROADSTEAD_LISTENER_ID: control().listener_id,
      ROADSTEAD_DATA_DIR: join(folder(), 'data'),
      ROADSTEAD_AGENT_URL: 'http://roadstead.test/agents/{slug}',
      ...environment,
    },
    stdio: ['pipe', 'pipe', 'ignore', 'ipc'],
    serialization: 'advanced',
  });
  stack().defer(async () => {
    started.kill('SIGKILL');
    await ended(started);
  });
  const secrets = {
    ROADSTEAD_LISTENER_KEY: control().listener_key,
    ROADSTEAD_AGENTS_DATABASE_URL: inject('postgresUrl'),
  };
  started.stdin?.write(`${JSON.stringify(secrets)}\n`);
  let said = '';
  started.stdout?.on('data', (bytes: Buffer) => (said += bytes.toString()));
  return { started, said: () => said };
}

async function start(handOff?: HandOff): Promise<ChildProcess> {
  const { started, said } = begin({ ROADSTEAD_PLATFORM_SOCKET: join(folder(), 'platform') });
  handOff?.to(started);
  await expect.poll(said, patient).toContain('"ready":true');
  return started;
}

const ended = (one: ChildProcess) =>
  one.exitCode !== null || one.signalCode !== null
    ? Promise.resolve(one.exitCode)
    : new Promise<number | null>((resolve) => one.once('exit', resolve));

/** Processes that it started and that have not ended yet. */
async function childrenOf({ pid }: ChildProcess): Promise<string[]> {
  const found = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  const pids = found.trim().split(' ');
  expect(pids).not.toContain('');
  return pids;
}

const commandOf = (pid: string | number | undefined) => readFile(`/proc/${pid}/cmdline`, 'utf8');

/** The command of a process, then what it has open, and its environment. */
async function holdingsOf(pid: string) {
  const command = await commandOf(pid);
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8');
  const names = await readdir(`/proc/${pid}/fd`);
  const open = await Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')));
  return { command, open, environment };
}

const served = async () =>
  (await callSocket(join(folder(), 's'), '/agents/mine/info', control().caller_key)).body;

test('when the data plane is killed, then it serves again unbuilt; a purge leaves nothing', async () => {
  const source = await sourceArchive('works');
  const revision = control().revisionOf(source, { build_command: 'echo once' });
  const id = control().desire('mine', { revision });
  await expect.poll(() => control().activeOf(id), wait).toBe(revision.id);
  expect(await served()).toMatchObject({ revision_id: revision.id });

  child.kill('SIGKILL');
  await ended(child);
  child = await start();
  expect(await served()).toMatchObject({ revision_id: revision.id });
  expect(
    control()
      .linesOf(revision.id)
      .filter((line) => line === 'once'),
  ).toHaveLength(1);
  await expect.poll(() => control().observations.at(-1)).toMatchObject({ outcome: 'done', hosts: 0 });

  const database = `agent_${id.replaceAll('-', '')}`;
  await using admin = openDatabase({ url: inject('postgresUrl'), max: 1, name: 'test' });
  const databases = () => admin.query('select from pg_database where datname = $1', [database]);
  expect(await databases()).toHaveLength(1);
  expect(await readdir(join(folder(), 'data', 'scratch'))).toEqual([id]);
  control().desire('mine', { removed: true, purge: true });
  await expect.poll(() => control().observations.at(-1)?.revision_id, wait).toBeNull();
  expect(await databases()).toEqual([]);
  const left = await readdir(join(folder(), 'data'), { recursive: true });
  expect(left.toSorted()).toEqual([
    'artifacts',
    'artifacts/making',
    'artifacts/ready',
    'cache',
    // The folder of the workspace, which may have other deployments.
    'cache/builds',
    'cache/builds.gone',
    'cache/builds/11111111-1111-4111-8111-111111111111',
    'cache/builds/11111111-1111-4111-8111-111111111111/packages',
    'databases-key',
    'fence',
    'git',
    'scratch',
  ]);
});

test('when its parent ends or a signal comes, then the data plane ends', async () => {
  child.stdin?.end();
  expect(await ended(child)).toBe(0);
  child = await start();
  child.kill('SIGTERM');
  expect(await ended(child)).toBe(0);
});

test('when it is handed connections, then agents’ are served, others given back, none passed on', async () => {
  child.kill('SIGKILL');
  await ended(child);
  await using _platform = await listen(
    (request, response) => response.end(`of the platform, for ${String(request.headers[ADDRESS_HEADER])}`),
    { socket: join(folder(), 'platform') },
  );
  const handOff = new HandOff('/agents/');
  await using front = await listen(
    (_request, response) => response.writeHead(503).end(),
    { host: '127.0.0.1', port: 0 },
    { handOff },
  );
  child = await start(handOff);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const ask = async (path: string) => {
    const headers = { 'x-api-key': control().caller_key };
    const asked = request({ host: '127.0.0.1', port: front.port, path, agent, headers }).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    return { status: answer.statusCode, text: await text(answer) };
  };
  const revision = control().revisionOf(await sourceArchive('works'));
  const id = control().desire('mine', { revision });
  await expect.poll(() => control().activeOf(id), wait).toBe(revision.id);
  expect((await ask('/agents/mine/info')).text).toContain(revision.id);
  expect((await ask('/ok')).text).toBe('of the platform, for 127.0.0.1');
  expect((await ask('/agents/mine/ok')).status).toBe(200);

  const channel = await readlink(`/proc/${child.pid}/fd/3`);
  // A short-lived one may end meanwhile.
  const found = await Promise.allSettled((await childrenOf(child)).map(holdingsOf));
  const held = found.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  // One that has not begun its own program yet still has everything of its parent.
  const own_command = await commandOf(child.pid);
  const begun = held.filter(({ command }) => command !== own_command);
  expect(begun.length).toBeGreaterThan(0);
  for (const { open, environment } of begun) {
    expect(open).not.toContain(channel);
    expect(environment).not.toContain('NODE_CHANNEL');
  }
});

test('when the data plane has secrets, then neither its environment nor its arguments show them', async () => {
  for (const name of ['environ', 'cmdline']) {
    const text = await readFile(`/proc/${child.pid}/${name}`, 'utf8');
    expect(text).toContain(name === 'environ' ? folder() : main);
    expect(text).not.toContain(control().listener_key);
    expect(text).not.toContain(inject('postgresUrl'));
  }
});

test.each([
  [{ ROADSTEAD_ISOLATION: 'walls' }, /ROADSTEAD_ISOLATION is not usable/],
  [{ ROADSTEAD_AGENT_URL: 'nowhere' }, /ROADSTEAD_AGENT_URL is not usable/],
  [{ ROADSTEAD_OWN_ADDRESSES: 'http://a.test, nowhere' }, /ROADSTEAD_OWN_ADDRESSES is not usable/],
])(
  'when settings are like %j, then the data plane says why it does not start',
  async (environment, sentence) => {
    const { started, said } = begin(environment);
    expect(await ended(started)).toBe(78);
    expect(JSON.parse(said())).toEqual({ refused: expect.stringMatching(sentence) });
  },
);

test('when the data plane runs alone, then it reads its environment, and stops by a signal', async () => {
  const started = spawn(process.execPath, [main], {
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      ROADSTEAD_DATA_PLANE_SOCKET: join(folder(), 'alone'),
      ROADSTEAD_CONTROL_URL: control().url,
      ROADSTEAD_LISTENER_ID: control().listener_id,
      ROADSTEAD_LISTENER_KEY: control().listener_key,
      ROADSTEAD_AGENTS_DATABASE_URL: inject('postgresUrl'),
      ROADSTEAD_DATA_DIR: join(folder(), 'alone-data'),
      ROADSTEAD_AGENT_URL: 'http://roadstead.test/agents/{slug}',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  stack().defer(() => void started.kill('SIGKILL'));
  let said = '';
  started.stdout.on('data', (bytes: Buffer) => (said += bytes.toString()));
  await expect.poll(() => said, patient).toContain('"ready":true');
  expect(
    (await callSocket(join(folder(), 'alone'), '/agents/none/info', control().caller_key)).status,
  ).not.toBe(200);
  expect(started.exitCode).toBeNull();
  started.kill('SIGTERM');
  expect(await ended(started)).toBe(0);
});

test('when the data plane is started alone, then it names what it lacks, and lists its settings', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [main, ...args], { env: {}, encoding: 'utf8' });
  const lacking = run();
  expect([lacking.status, lacking.stderr]).toEqual([
    1,
    expect.stringMatching(/^roadstead data-plane: ROADSTEAD_DATA_PLANE_SOCKET is needed: .*\n$/),
  ]);
  expect(run('--help').stdout).toContain('ROADSTEAD_LISTENER_KEY');
});
