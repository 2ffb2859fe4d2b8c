import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { openDatabase } from '@roadstead/kit';
import { callSocket } from './testing/data-plane-fixture.ts';
import { FakeControlPlane } from './testing/fake-control-plane.ts';
import { sourceArchive } from './testing/projects.ts';

/** The data plane as the platform starts it: its real process, on the process runtime. */

const main = fileURLToPath(new URL('main.ts', import.meta.url));
const wait = { timeout: 20_000, interval: 50 };

let folder: string;
let control: FakeControlPlane;
let child: ChildProcess;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'main-'));
  control = await FakeControlPlane.start();
  child = await start();
});
afterEach(async () => {
  child.kill('SIGKILL');
  await ended(child);
  await control[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
});

function begin(environment: Readonly<Record<string, string>> = {}) {
  const started = spawn(process.execPath, [main, '--secrets-from-stdin'], {
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      ROADSTEAD_DATA_PLANE_SOCKET: join(folder, 's'),
      ROADSTEAD_CONTROL_URL: control.url,
      ROADSTEAD_LISTENER_ID: control.listener_id,
      ROADSTEAD_DATA_DIR: join(folder, 'data'),
      ROADSTEAD_AGENT_URL: 'http://roadstead.test/agents/{slug}',
      ...environment,
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const secrets = {
    ROADSTEAD_LISTENER_KEY: control.listener_key,
    ROADSTEAD_AGENTS_DATABASE_URL: inject('postgresUrl'),
  };
  started.stdin.write(`${JSON.stringify(secrets)}\n`);
  let said = '';
  started.stdout.on('data', (bytes: Buffer) => (said += bytes.toString()));
  return { started, said: () => said };
}

async function start(): Promise<ChildProcess> {
  const { started, said } = begin();
  await expect.poll(said, wait).toContain('"ready":true');
  return started;
}

const ended = (one: ChildProcess) =>
  one.exitCode !== null || one.signalCode !== null
    ? Promise.resolve(one.exitCode)
    : new Promise<number | null>((resolve) => one.once('exit', resolve));

const served = async () =>
  (await callSocket(join(folder, 's'), '/agents/mine/info', control.caller_key)).body;

test('killed, it serves again without building or starting anything; purged, nothing is left', async () => {
  const source = await sourceArchive('works');
  const revision = control.revisionOf(source, { build_command: 'echo once' });
  const id = control.desire('mine', { revision });
  await expect.poll(() => control.activeOf(id), wait).toBe(revision.id);
  expect(await served()).toMatchObject({ revision_id: revision.id });

  child.kill('SIGKILL');
  await ended(child);
  child = await start();
  expect(await served()).toMatchObject({ revision_id: revision.id });
  expect(control.linesOf(revision.id).filter((line) => line === 'once')).toHaveLength(1);
  await expect.poll(() => control.observations.at(-1)).toMatchObject({ outcome: 'done', hosts: 0 });

  const database = `agent_${id.replaceAll('-', '')}`;
  await using admin = openDatabase({ url: inject('postgresUrl'), max: 1, name: 'test' });
  const databases = () => admin.query('select from pg_database where datname = $1', [database]);
  expect(await databases()).toHaveLength(1);
  expect(await readdir(join(folder, 'data', 'scratch'))).toEqual([id]);
  control.desire('mine', { removed: true, purge: true });
  await expect.poll(() => control.observations.at(-1)?.revision_id, wait).toBeNull();
  expect(await databases()).toEqual([]);
  const left = await readdir(join(folder, 'data'), { recursive: true });
  expect(left.toSorted()).toEqual([
    'artifacts',
    'artifacts/making',
    'artifacts/ready',
    'cache',
    // Of the workspace, which may have other deployments.
    'cache/builds',
    'cache/builds/11111111-1111-4111-8111-111111111111',
    'cache/builds/11111111-1111-4111-8111-111111111111/npm',
    'databases-key',
    'fence',
    'git',
    'scratch',
  ]);
}, 60_000);

test('it ends with its parent, and with a signal', async () => {
  child.stdin?.end();
  expect(await ended(child)).toBe(0);
  child = await start();
  child.kill('SIGTERM');
  expect(await ended(child)).toBe(0);
});

test('its secrets stand neither in its environment nor in its arguments', async () => {
  for (const name of ['environ', 'cmdline']) {
    const text = await readFile(`/proc/${child.pid}/${name}`, 'utf8');
    expect(text).toContain(name === 'environ' ? folder : main);
    expect(text).not.toContain(control.listener_key);
    expect(text).not.toContain(inject('postgresUrl'));
  }
});

test.each([
  [{ ROADSTEAD_ISOLATION: 'walls' }, /ROADSTEAD_ISOLATION is not usable/],
  [{ ROADSTEAD_AGENT_URL: 'nowhere' }, /ROADSTEAD_AGENT_URL is not usable/],
])('with settings like %j it says why it does not start', async (environment, sentence) => {
  const { started, said } = begin(environment);
  expect(await ended(started)).toBe(78);
  expect(JSON.parse(said())).toEqual({ refused: expect.stringMatching(sentence) });
});

test('alone it reads its environment, needs no standard input, and stops by a signal', async () => {
  const started = spawn(process.execPath, [main], {
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      ROADSTEAD_DATA_PLANE_SOCKET: join(folder, 'alone'),
      ROADSTEAD_CONTROL_URL: control.url,
      ROADSTEAD_LISTENER_ID: control.listener_id,
      ROADSTEAD_LISTENER_KEY: control.listener_key,
      ROADSTEAD_AGENTS_DATABASE_URL: inject('postgresUrl'),
      ROADSTEAD_DATA_DIR: join(folder, 'alone-data'),
      ROADSTEAD_AGENT_URL: 'http://roadstead.test/agents/{slug}',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let said = '';
  started.stdout.on('data', (bytes: Buffer) => (said += bytes.toString()));
  await expect.poll(() => said, wait).toContain('"ready":true');
  expect((await callSocket(join(folder, 'alone'), '/agents/none/info', control.caller_key)).status).not.toBe(
    200,
  );
  expect(started.exitCode).toBeNull();
  started.kill('SIGTERM');
  expect(await ended(started)).toBe(0);
});

test('started alone it names what it lacks, and lists its settings', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [main, ...args], { env: {}, encoding: 'utf8' });
  const lacking = run();
  expect([lacking.status, lacking.stderr]).toEqual([
    1,
    expect.stringMatching(/^roadstead data-plane: ROADSTEAD_DATA_PLANE_SOCKET is needed: .*\n$/),
  ]);
  expect(run('--help').stdout).toContain('ROADSTEAD_LISTENER_KEY');
});
