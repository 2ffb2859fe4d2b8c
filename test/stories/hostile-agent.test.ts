import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { useFixture } from '@roadstead/testing';
import { beforeAll, beforeEach, describe, expect, type TestContext, test } from 'vitest';
import { answerOf, callA2a, dataHome, startPlatform, userMessage } from '../support/platform.ts';
import { type AgentLanguage, has_python, languages, needsLanguage } from '../support/languages.ts';
import { processesOf } from '../support/process-tree.ts';
import {
  askingAt,
  callsOfTheSystem,
  connectingTo,
  deadlyAttacks,
  endingOthers,
  exhausted,
  followingLinkTo,
  readingOf,
} from './hostile-attacks.ts';
import { portsOf } from './ports-of.ts';

/** An agent that tries every attack it can, in each language, beside one that minds its business. */

const agents = fileURLToPath(new URL('../agents/', import.meta.url));
const home = useFixture(dataHome);
const platform = useFixture(() => startPlatform(home().path));
const listener = useFixture(async () => {
  const listeners = await platform().fetch(`${platform().url}/v2/listeners`);
  const { resources } = (await listeners.json()) as {
    resources: [{ isolation: string; resource_limits: string }];
  };
  return resources[0];
});
const served = languages.filter((language) => language !== 'python' || has_python);
beforeAll(async () => {
  await Promise.all([
    deploy('victim', 'javascript'),
    ...served.map((language) => deploy(language, 'hostile', ...configOf(language))),
  ]);
});

const configOf = (language: AgentLanguage) => (language === 'python' ? ['--config', 'python.json'] : []);

async function deploy(name: string, folder: string, ...options: string[]): Promise<void> {
  const { code, stdout, stderr } = await platform().run(
    'deploy',
    join(agents, folder),
    '--name',
    name,
    ...options,
  );
  if (code !== 0) throw new Error((stdout + stderr).slice(-2000));
}

/** What the agent answers to a shell command, or to code of its own. */
async function order(agent: string, command: string): Promise<string> {
  return answerOf((await callA2a(platform(), agent, 'message/send', userMessage(command))).result);
}
const runsIn = (language: AgentLanguage, code: Record<AgentLanguage, string>) =>
  order(language, `run:${code[language]}`);

function needsNamespaces({ skip }: Pick<TestContext, 'skip'>): void {
  if (listener().isolation === 'namespace') return;
  process.stderr.write('NOT TESTED: the kernel of this machine refuses namespaces.\n');
  skip();
}

/** What takes all memory is ended by its limit alone. */
function needsLimits({ skip }: Pick<TestContext, 'skip'>): void {
  skip(listener().resource_limits === 'none', 'nothing limits the memory of programs here');
}

/** The files of the platform that hold its secrets. */
async function secretFiles(): Promise<string[]> {
  const names = (await readdir(home().path)).map((name) => join(home().path, name));
  const files = [...names, join(home().path, 'postgres/cluster/password')];
  const modes = await Promise.all(files.map(async (file) => (await stat(file)).mode & 0o777));
  return files.filter((_, at) => modes[at] === 0o600);
}

/** Every secret of the platform that lies in its data folder. */
async function secrets(): Promise<string[]> {
  const texts = await Promise.all(
    (await secretFiles()).map(async (file) => (await readFile(file, 'utf8')).trim()),
  );
  // Ids are no secrets.
  const found = texts.filter((text) => text.length > 36).map((text) => text.split('\n').at(-2) ?? text);
  expect(found.length).toBeGreaterThan(3);
  return found;
}

/** The files below the data folder; links are not followed. */
async function filesOf(folder = home().path): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.map((entry) => join(entry.parentPath, entry.name));
}

/** What it wrote into the data folder. */
const written = async () => (await filesOf()).filter((file) => file.endsWith('/written'));

const running = (text: string) =>
  spawnSync('ps', ['-axww', '-o', 'args='], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter((line) => line.startsWith(text));

test.for(Object.keys(deadlyAttacks))(
  'when hosts end of their %s, then they alone do',
  async (what, context) => {
    needsLimits(context);
    const data_plane = await processesOf(platform().pid, /data-plane\/src\/main/);
    const code = deadlyAttacks[what];
    const attacks = code === undefined ? [] : served.map((language) => runsIn(language, code));
    expect(await order('victim', 'hello')).toMatch(/hello$/);
    // Their runs are tried again on other hosts.
    expect(await Promise.all(attacks)).toEqual(served.map(() => `${what} is over\n.`));
    expect(await processesOf(platform().pid, /data-plane\/src\/main/)).toEqual(data_plane);
  },
);

// Nothing of JavaScript's own calls it so.
if (languages.includes('python'))
  test('when it calls the system as C does, then each call is refused', async (context) => {
    needsLanguage('python', context);
    needsNamespaces(context);
    expect(await order('python', `run:${callsOfTheSystem}`)).toMatch(/^(\w+ (\w+ )?-1\n){20,}\.$/);
  });

describe.each(languages)('an agent in %s', (language) => {
  beforeEach((context) => needsLanguage(language, context));

  test('when it reads, then it finds no key, no password and no environment of others', async (context) => {
    needsNamespaces(context);
    const data = home().path;
    const read = await order(
      language,
      `id -u; ls ${data} ${data}/artifacts/ready; cat ${data}/* ${data}/postgres/cluster/password; cat /proc/*/environ | tr '\\0' '\\n'`,
    );
    expect(read).toMatch(/^[1-9]/);
    expect(read).toMatch(/No such file/);
    for (const secret of await secrets()) expect(read).not.toContain(secret);
    expect(read).not.toMatch(/ROADSTEAD_(LISTENER_KEY|SECRET_KEY|AGENTS_DATABASE_URL)/);
    // Its own is there, which shows that environments can be read at all.
    expect(read).toContain('LANGSMITH_API_KEY=');
    expect(new Set(read.match(/LANGSMITH_API_KEY=\S+/g)).size).toBe(1);
    const others = await order(language, 'ls -d /proc/[0-9]*; cat /proc/*/cmdline | tr "\\0" " "');
    expect(others).not.toMatch(/postgres -D|data-plane|victim/);
    const places = ['mem', 'environ', 'root/etc/shadow', 'fd/3', 'maps'].map((one) => `/proc/1/${one}`);
    const own = await runsIn(language, readingOf([...(await secretFiles()), ...places, '/dev/mem']));
    expect(own).toMatch(/^((ENOENT|EACCES|EPERM|ESRCH)\n)+\.$/);
  });

  test('when it writes, then it writes to its own folder only', async (context) => {
    needsNamespaces(context);
    const canary = join(home().path, 'canary');
    await writeFile(canary, 'as it was', { mode: 0o600 });
    const artifacts = join(home().path, 'artifacts', 'ready');
    for (const path of ['/etc/passwd', '/written', '/usr/written', '$(pwd)/langgraph.json'])
      expect(await order(language, `echo hostile > "${path}" && echo written`), path).not.toMatch(/^written/);
    // Folders below /tmp are in memory, and the agent's alone.
    for (const path of [canary, `${artifacts}/written`, `${home().path}/written`])
      await order(language, `echo hostile > "${path}"`);
    expect(await runsIn(language, followingLinkTo(home().path, 'api-key'))).toBe('ENOENT\n.');
    expect(await written()).toEqual([]);
    expect(await readFile(canary, 'utf8')).toBe('as it was');
    expect(await order(language, 'cd "$HOME" && echo mine > kept && cat kept')).toMatch(/^mine/);
  });

  test('when it connects, then it reaches no socket of ours, and nothing answers its key', async (context) => {
    needsNamespaces(context);
    const files = await readdir(home().path, { recursive: true, withFileTypes: true });
    const sockets = files.filter((file) => file.isSocket()).map((file) => join(file.parentPath, file.name));
    expect(sockets.length).toBeGreaterThan(1);
    for (const socket of sockets) expect(await runsIn(language, connectingTo(socket))).toMatch(/^ENOENT/);
    const ports = await portsOf(await processesOf(platform().pid, /./));
    expect(ports).toContain(Number(new URL(platform().url).port));
    const paths = ['/v2/deployments', '/v2/listeners', '/api/v1/sessions', '/api/v1/runs', '/workspaces'];
    for (const port of ports) {
      const statuses = await runsIn(language, askingAt(port, paths));
      expect(statuses.split('\n').slice(0, -1), `port ${port}`).toEqual(
        paths.map(() => expect.stringMatching(/^(40[0-9]|none)$/) as string),
      );
    }
  });

  test('when it tries to regain rights, then it gets none', async (context) => {
    needsNamespaces(context);
    expect(await order(language, 'unshare --user --map-root-user id -u')).not.toMatch(/^0/);
    expect(await order(language, 'mount -o remount,rw / && echo remounted')).not.toMatch(/^remounted/);
    expect(await order(language, 'kill -9 1; sleep 0.2; echo alive')).toMatch(/^alive/);
    expect(await runsIn(language, endingOthers)).toMatch(/^alive/);
    expect(await order('victim', 'hello')).toMatch(/hello$/);
  });

  test('when it is built, then the build reads and writes as little, and leaves nothing', async (context) => {
    needsNamespaces(context);
    const built = await order(language, 'cat built.txt');
    expect(built).toMatch(/^user [1-9]/);
    expect(built).toContain('home written');
    expect(built).not.toMatch(/^written \/(usr\/)?written/m);
    expect(await written()).toEqual([]);
    for (const secret of await secrets()) expect(built).not.toContain(secret);
    expect(running('sleep 86400.25')).toEqual([]);
  });

  test.each(Object.keys(exhausted))('when it uses up its %s, then its host goes on', async (what) => {
    const code = exhausted[what];
    expect(code && (await runsIn(language, code))).toMatch(/^(EMFILE|begun)\n\.$/);
    expect(await order(language, 'echo still here')).toMatch(/^still here/);
  });

  test('when it has variables, then they name no program that runs outside of it', async () => {
    const names = [
      'PATH',
      'LD_LIBRARY_PATH',
      'ENV',
      'BASH_ENV',
      'npm_config_script_shell',
      'NODE_EXTRA_CA_CERTS',
      'PYTHONHOME',
      'PYTHONSTARTUP',
      'PYTHONPATH',
    ];
    const values = names.map((name) => `${name}=${name === 'PATH' ? './bin:/usr/bin:/bin' : './bin/sh'}`);
    const options = [...values, 'NODE_OPTIONS=--no-warnings'].flatMap((value) => ['--secret', value]);
    const lured = `lured-${language}`;
    await deploy(lured, 'hostile', ...configOf(language), ...options);
    expect(await order(lured, '/bin/echo "$PATH"')).toMatch(/(^|:)\.\/bin:/);
    const files = await filesOf(join(home().path, 'artifacts'));
    expect(files.filter((file) => file.endsWith('bin/unshare')).length).toBeGreaterThan(0);
    expect(files.filter((file) => file.endsWith('sprung'))).toEqual([]);
  });

  test('when it leaves its group and links elsewhere, then it ends, and nothing else does', async () => {
    const other = join(home().path, `other-${language}`);
    await mkdir(other);
    await writeFile(join(other, 'canary'), 'as it was');
    await order(language, `ln -s ${other} "$HOME/other"; ln -s ${other}/canary "$HOME/canary"`);
    await order(language, 'setsid sleep 86400.75 > /dev/null 2>&1 & sleep 0.2');
    expect(running('sleep 86400.75')).toHaveLength(1);
    await platform().run('delete', language, '--yes', '--force');
    await expect.poll(() => running('sleep 86400.75')).toEqual([]);
    expect(await readFile(join(other, 'canary'), 'utf8')).toBe('as it was');
  });
});
