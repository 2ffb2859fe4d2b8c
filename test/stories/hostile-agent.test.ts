import { spawnSync } from 'node:child_process';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { useFixture } from '@roadstead/testing';
import { beforeAll, expect, type TestContext, test } from 'vitest';
import { answerOf, callA2a, dataHome, startPlatform, userMessage } from '../support/platform.ts';

/** An agent that tries every attack it can, beside one that minds its business. */

const agents = fileURLToPath(new URL('../agents/', import.meta.url));
const home = useFixture(dataHome);
const platform = useFixture(() => startPlatform(home().path));
const isolation = useFixture(async () => {
  const listeners = await platform().fetch(`${platform().url}/v2/listeners`);
  const { resources } = (await listeners.json()) as { resources: [{ isolation: string }] };
  return resources[0].isolation;
});
beforeAll(async () => {
  await platform().run('deploy', join(agents, 'javascript'), '--name', 'victim');
  const { code, stderr } = await platform().run('deploy', join(agents, 'hostile'), '--name', 'hostile');
  if (code !== 0) throw new Error(stderr);
});

/** What the agent answers to a shell command. */
async function order(command: string, agent = 'hostile'): Promise<string> {
  return answerOf((await callA2a(platform(), agent, 'message/send', userMessage(command))).result);
}

function needsNamespaces({ skip }: TestContext): void {
  if (isolation() === 'namespace') return;
  process.stderr.write('NOT TESTED: the kernel of this machine refuses namespaces.\n');
  skip();
}

/** Every secret of the platform that lies in its data folder. */
async function secrets(): Promise<string[]> {
  const names = (await readdir(home().path)).map((name) => join(home().path, name));
  const files = [...names, join(home().path, 'postgres/cluster/password')];
  const texts = await Promise.all(
    files.map(async (file) =>
      ((await stat(file)).mode & 0o777) === 0o600 ? (await readFile(file, 'utf8')).trim() : '',
    ),
  );
  // Ids are no secrets.
  const found = texts.filter((text) => text.length > 36).map((text) => text.split('\n').at(-2) ?? text);
  expect(found.length).toBeGreaterThan(3);
  return found;
}

/** What it wrote into the data folder. */
const written = async () =>
  (await readdir(home().path, { recursive: true })).filter((file) => file.endsWith('written'));

const running = (text: string) =>
  spawnSync('ps', ['-axww', '-o', 'args='], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter((line) => line.startsWith(text));

test('when the agent reads, then it finds no key, no password and no environment of others', async (context) => {
  needsNamespaces(context);
  const data = home().path;
  const read = await order(
    `id -u; ls ${data} ${data}/artifacts/ready; cat ${data}/* ${data}/postgres/cluster/password; cat /proc/*/environ | tr '\\0' '\\n'`,
  );
  expect(read).toMatch(/^[1-9]/);
  expect(read).toMatch(/No such file/);
  for (const secret of await secrets()) expect(read).not.toContain(secret);
  expect(read).not.toMatch(/ROADSTEAD_(LISTENER_KEY|SECRET_KEY|AGENTS_DATABASE_URL)/);
  // Its own is there, which shows that environments can be read at all.
  expect(read).toContain('LANGSMITH_API_KEY=');
  expect(new Set(read.match(/LANGSMITH_API_KEY=\S+/g)).size).toBe(1);
  const others = await order('ls -d /proc/[0-9]*; cat /proc/*/cmdline | tr "\\0" " "');
  expect(others).not.toMatch(/postgres -D|data-plane|victim/);
});

test('when the agent writes, then it writes to its own folder only', async (context) => {
  needsNamespaces(context);
  const canary = join(home().path, 'canary');
  await writeFile(canary, 'as it was', { mode: 0o600 });
  const artifacts = join(home().path, 'artifacts', 'ready');
  for (const path of ['/etc/passwd', '/written', '/usr/written', '$(pwd)/agent.js'])
    expect(await order(`echo hostile > "${path}" && echo written`), path).not.toMatch(/^written/);
  // Folders below /tmp are in memory, and the agent's alone.
  for (const path of [canary, `${artifacts}/written`, `${home().path}/written`])
    await order(`echo hostile > "${path}"`);
  expect(await written()).toEqual([]);
  expect(await readFile(canary, 'utf8')).toBe('as it was');
  expect(await order('cd "$HOME" && echo mine > kept && cat kept')).toMatch(/^mine/);
});

test('when the agent connects, then it reaches no socket of ours', async (context) => {
  needsNamespaces(context);
  const files = await readdir(home().path, { recursive: true, withFileTypes: true });
  const sockets = files.filter((file) => file.isSocket()).map((file) => join(file.parentPath, file.name));
  expect(sockets.length).toBeGreaterThan(1);
  for (const socket of sockets)
    expect(
      await order(
        `node -e 'require("net").connect("${socket}").on("error", (e) => console.log(e.code)).on("connect", () => console.log("connected"))'`,
      ),
    ).toMatch(/^ENOENT/);
});

test('when the agent tries to regain rights, then it gets none', async (context) => {
  needsNamespaces(context);
  expect(await order('unshare --user --map-root-user id -u')).not.toMatch(/^0/);
  expect(await order('mount -o remount,rw / && echo remounted')).not.toMatch(/^remounted/);
  expect(await order('kill -9 1; sleep 0.2; echo alive')).toMatch(/^alive/);
});

test('when it is built, then the build reads and writes as little, and leaves nothing running', async (context) => {
  needsNamespaces(context);
  const built = await order('cat built.txt');
  expect(built).toMatch(/^user [1-9]/);
  expect(built).toContain('home written');
  expect(built).not.toMatch(/^written \/(usr\/)?written/m);
  expect(await written()).toEqual([]);
  for (const secret of await secrets()) expect(built).not.toContain(secret);
  expect(running('sleep 86400.25')).toEqual([]);
});

test('when a deployment has variables, then they name no program that runs outside of it', async () => {
  const names = [
    'PATH',
    'LD_LIBRARY_PATH',
    'ENV',
    'BASH_ENV',
    'npm_config_script_shell',
    'NODE_EXTRA_CA_CERTS',
  ];
  const values = names.map((name) => `${name}=${name === 'PATH' ? './bin:/usr/bin:/bin' : './bin/sh'}`);
  const options = [...values, 'NODE_OPTIONS=--no-warnings'].flatMap((value) => ['--secret', value]);
  const { code, stderr } = await platform().run(
    'deploy',
    join(agents, 'hostile'),
    '--name',
    'lured',
    ...options,
  );
  expect(code, stderr).toBe(0);
  expect(await order('/bin/echo "$PATH"', 'lured')).toMatch(/^\.\/bin:/);
  const files = await readdir(join(home().path, 'artifacts'), { recursive: true });
  expect(files.filter((file) => file.endsWith('bin/unshare')).length).toBeGreaterThan(0);
  expect(files.filter((file) => file.endsWith('sprung'))).toEqual([]);
});

test('when something leaves its process group, then it ends with the deployment', async () => {
  await order('setsid sleep 86400.75 > /dev/null 2>&1 & sleep 0.2');
  expect(running('sleep 86400.75')).toHaveLength(1);
  await platform().run('delete', 'hostile', '--yes', '--force');
  await expect.poll(() => running('sleep 86400.75')).toEqual([]);
});
