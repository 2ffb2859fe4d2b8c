import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { useFixture } from '@roadstead/testing';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type AgentLanguage, languages, needsLanguage } from '../support/languages.ts';
import {
  answerOf,
  callA2a,
  dataHome,
  is_replicated,
  runCommand,
  startPlatform,
  userMessage,
} from '../support/platform.ts';
import { leaksOf } from './kept-secrets.ts';

/** The command line as a pipeline runs it: no terminal, a program or a log that reads. */

const root = fileURLToPath(new URL('../../', import.meta.url));
const launcher = join(root, 'bin', 'roadstead.mjs');
// oxlint-disable-next-line no-control-regex -- what a terminal acts on
const ACTED_ON = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

interface NoisyAgent {
  readonly name: string;
  /** The file of its graph. */
  readonly file: string;
  /** What prints when it is loaded, and when it is built. */
  readonly prints: string;
  readonly noise: { readonly file: string; readonly code: string; readonly command: string };
}

const agents: Readonly<Record<AgentLanguage, NoisyAgent>> = {
  javascript: {
    name: 'noisy',
    file: 'agent.js',
    prints: String.raw`console.log('first \u001b[2J\u001b]0;owned\u0007line');
console.error('second \u009b31mline');
`,
    noise: {
      file: 'noise.js',
      code: String.raw`console.log('built \u001b[5mhere\u001b[0m');`,
      command: 'node noise.js',
    },
  },
  python: {
    name: 'loud-python',
    file: 'counting.py',
    prints: String.raw`import sys
print("first \x1b[2J\x1b]0;owned\x07line")
print("second \x9b31mline", file=sys.stderr)
`,
    noise: {
      file: 'noise.py',
      code: String.raw`print("built \x1b[5mhere\x1b[0m")`,
      command: 'python noise.py',
    },
  },
};

const home = useFixture(dataHome);
const folderOf = (language: AgentLanguage) => join(home().path, agents[language].name);
const agent = () => folderOf('javascript');
beforeAll(async () => {
  for (const language of languages) {
    const { file, prints, noise } = agents[language];
    const folder = folderOf(language);
    await cp(join(root, 'test', 'agents', language), folder, { recursive: true });
    await writeFile(join(folder, noise.file), noise.code);
    await writeFile(join(folder, file), prints + (await readFile(join(folder, file), 'utf8')));
  }
});
const platform = useFixture(() => startPlatform(join(home().path, 'data')));

describe.each(languages)('an agent in %s', (language) => {
  const { name, file, noise } = agents[language];
  beforeEach((context) => needsLanguage(language, context));

  test('when a deploy runs, then each phase and the build’s lines come on standard error', async () => {
    const what = [folderOf(language), '--build-command', noise.command];
    const { code, stdout, stderr } = await platform().run('deploy', ...what);
    for (const phase of ['source', 'install', 'build', 'start', 'health', 'switch', 'DEPLOYED', 'built here'])
      expect(stderr).toContain(phase);
    expect([code, stdout]).toEqual([0, expect.stringMatching(`^${name} is DEPLOYED and serves at http`)]);
    expect(stdout + stderr).not.toMatch(ACTED_ON);
  });

  test('when logs are shown, then nothing acts on a terminal, and JSON has all of it', async () => {
    const text = async () => (await platform().run('logs', name)).stdout;
    await expect.poll(text).toMatch(/first line[^]*second line|second line[^]*first line/);
    expect(await text()).not.toMatch(ACTED_ON);
    const { stdout } = await platform().run('logs', name, '--json', '--text', 'first');
    expect(stdout).not.toMatch(ACTED_ON);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { message: string });
    expect(lines.map(({ message }) => message)).toEqual(['first \u001b[2J\u001b]0;owned\u0007line']);
  });

  test('when a project is ill, then doctor finds what is wrong', async () => {
    const folder = join(home().path, `ill-${language}`);
    await cp(folderOf(language), folder, { recursive: true });
    const well = await platform().run('doctor', folder, '--json');
    const about = (text: string) =>
      (JSON.parse(text) as { about: string; level: string; what: string }[]).filter(
        (one) => one.about !== 'machine' && one.level === 'wrong',
      );
    expect(about(well.stdout)).toEqual([]);
    await rm(join(folder, file));
    const ill = await platform().run('doctor', folder);
    expect([ill.code, ill.stdout]).toEqual([1, expect.stringContaining(`names ${file}, which is not there`)]);
  });
});

test('when logs get the filters of the API, then they show what fits', async () => {
  const shown = async (...filters: string[]) => {
    const { code, stdout, stderr } = await platform().run('logs', 'noisy', ...filters);
    expect([code, stderr]).toEqual([0, '']);
    return stdout.split('\n').filter((line) => line !== '');
  };
  const all = await shown();
  expect(all.length).toBeGreaterThanOrEqual(2);
  expect(await shown('--limit', '1')).toEqual(all.slice(-1));
  expect(await shown('--text', 'SECOND')).toEqual(all.filter((line) => line.includes('second line')));
  expect(await shown('--since', '1d')).toEqual(all);
  expect(await shown('--until', '1d')).toEqual([]);
  expect(await shown('--level', 'critical')).toEqual([]);
  const status = JSON.parse((await platform().run('status', 'noisy', '--json')).stdout) as {
    deployment: { active_revision_id: string };
  };
  const revision = status.deployment.active_revision_id;
  expect(await shown('--revision', revision)).toEqual(all);
  expect((await shown('--build', '--limit', '1')).length).toBe(1);
});

test('when status and revisions are asked, then they say what serves and how it came to', async () => {
  const shown = await platform().run('status', 'noisy');
  expect([shown.code, shown.stderr]).toEqual([0, '']);
  expect(shown.stdout).toMatch(/^noisy {2}\S+\n {2}url +http\S+\n {2}source +internal_source\n/);
  expect(shown.stdout).toMatch(/serves +revision \d+ DEPLOYED, made \d+ \S+ ago by patch/);
  expect(shown.stdout).toMatch(/phases .*install \d/);
  const report = JSON.parse((await platform().run('status', 'noisy', '--json')).stdout) as {
    deployment: { active_revision_id: string };
    events: unknown[];
  };
  expect(report.events).toHaveLength(5);
  const all = JSON.parse((await platform().run('revisions', 'noisy', '--json')).stdout) as { id: string }[];
  expect(all.map(({ id }) => id)).toContain(report.deployment.active_revision_id);
  const newest = (await platform().run('revisions', 'noisy', '--limit', '1')).stdout;
  expect(newest.trim().split('\n')).toEqual([expect.stringContaining(all[0]?.id ?? '')]);
});

test('when variables are set, gone back from or removed, then each time there is a revision', async () => {
  const set = await platform().run('env', 'set', 'noisy', 'ONE=1', 'TWO=value=2');
  expect([set.code, set.stdout]).toEqual([0, expect.stringMatching(/^noisy is DEPLOYED/)]);
  const file = join(home().path, 'value');
  await writeFile(file, 'kept from the shell\n');
  expect((await platform().run('secrets', 'set', 'noisy', 'THREE', '--file', file, '--quiet')).code).toBe(0);
  expect((await platform().run('env', 'list', 'noisy')).stdout).toBe('ONE\nTWO\nTHREE\n');
  const back = await platform().run('rollback', 'noisy');
  expect([back.code, back.stderr]).toEqual([0, expect.stringContaining('back to revision')]);
  const newest = async () => {
    const { stdout } = await platform().run('revisions', 'noisy', '--json');
    return (JSON.parse(stdout) as { number: number }[])[0]?.number ?? 0;
  };
  const names = async () => {
    const { stdout } = await platform().run('status', 'noisy', '--json');
    const { active_revision } = JSON.parse(stdout) as { active_revision: { secret_names: string[] } };
    return active_revision.secret_names.toSorted();
  };
  expect(await names()).toEqual(['ONE', 'TWO']);
  expect((await platform().run('env', 'unset', 'noisy', 'ONE', 'NONE')).stderr).toMatch(/no variable NONE/);
  const listed = (await platform().run('env', 'list', 'noisy')).stdout.trim().split('\n');
  const before = await newest();
  expect((await platform().run('env', 'set', 'noisy', 'LEFT=1')).code).toBe(0);
  expect((await platform().run('env', 'unset', 'noisy', ...listed, 'LEFT')).code).toBe(0);
  expect(await names()).toEqual([]);
  expect(await newest()).toBe(before + 3);
}, 180_000);

test('when a deploy would change what a deployment is from, then it is refused in a sentence', async () => {
  const { code, stderr } = await platform().run('deploy', '--git', 'https://there.test/x', '--name', 'noisy');
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^roadstead: noisy is deployed from a folder, /)]);
});

test('when a context is logged in to, then it is used until forgotten, and its key is private', async () => {
  const config = join(home().path, 'config');
  const env = { PATH: process.env['PATH'], HOME: home().path, XDG_CONFIG_HOME: config, NO_COLOR: '1' };
  const run = (...args: string[]) => runCommand(args, env);
  const key_file = join(home().path, 'key');
  await writeFile(key_file, 'rs_not-a-key-of-anybody');
  const refused = await run('login', platform().url, '--key-file', key_file);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('know this API key')]);
  await writeFile(key_file, platform().key);
  expect((await run('login', platform().url, '--key-file', key_file, '--name', 'story')).code).toBe(0);
  expect((await stat(join(config, 'roadstead', 'contexts.json'))).mode & 0o777).toBe(0o600);
  expect((await run('list')).stdout).toContain('noisy');
  expect(JSON.parse((await run('whoami', '--json')).stdout)).toMatchObject({
    url: platform().url,
    context: 'story',
    workspace: { name: 'default' },
    scopes: ['admin'],
  });
  expect((await run('context', 'list')).stdout).toBe(`*  story  ${platform().url}\n`);
  expect((await run('completion', 'words', '--', 'logs', 'noi')).stdout).toBe('noisy\n');
  expect((await run('logout', 'story')).code).toBe(0);
  expect((await run('context', 'list', '--json')).stdout).toBe('[]\n');
});

test('when an agent begins from a template, then nothing is overwritten', async () => {
  const folder = join(home().path, 'begun');
  const made = await platform().run('init', folder, '--template', 'typescript-starter');
  expect([made.code, made.stdout]).toEqual([0, expect.stringContaining('roadstead deploy')]);
  expect(await readdir(folder)).toEqual(expect.arrayContaining(['.gitignore', 'langgraph.json', 'src']));
  await writeFile(join(folder, 'langgraph.json'), '{}');
  const again = await platform().run('init', folder, '--template', 'typescript-starter');
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('nothing was copied')]);
  expect(await readFile(join(folder, 'langgraph.json'), 'utf8')).toBe('{}');
});

test('when dev runs, then it serves each save, goes on over a broken one, and leaves nothing', async () => {
  const folder = join(home().path, 'worked-on');
  await cp(join(root, 'test', 'agents', 'javascript'), folder, { recursive: true });
  const file = join(folder, 'agent.js');
  const code = await readFile(file, 'utf8');
  const env = {
    ...process.env,
    ROADSTEAD_DATA_DIR: platform().folder,
    ROADSTEAD_URL: platform().url,
    NO_COLOR: '1',
  };
  expect(await runCommand(['dev', folder], env)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('are not installed there') as string,
  });
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--silent'], { cwd: folder });
  const child = spawn(process.execPath, [launcher, 'dev', folder], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => (said += bytes.toString()));
  const ended = new Promise((done) => child.once('close', done));
  onTestFinished(() => void child.kill('SIGKILL'));
  await expect.poll(() => said, { timeout: 60_000 }).toContain('worked-on-dev serves at');
  const answer = async () =>
    answerOf((await callA2a(platform(), 'worked-on-dev', 'message/send', userMessage('hello'))).result);
  expect(await answer()).toBe('javascript 1: hello');
  await writeFile(file, code.replace('javascript ', 'saved '));
  await expect.poll(() => said, { timeout: 60_000 }).toContain('serves the new code');
  expect(await answer()).toBe('saved 1: hello');
  await writeFile(file, `${code}\nthis is no JavaScript`);
  await expect.poll(() => said, { timeout: 60_000 }).toContain('The revision that served keeps serving.');
  expect(said).toContain('DEPLOY_FAILED in phase start');
  expect(await answer()).toBe('saved 1: hello');
  const second = await runCommand(['dev', folder], env);
  expect([second.code, second.stderr]).toEqual([1, expect.stringContaining('serves worked-on-dev already')]);
  child.kill('SIGINT');
  expect(await ended).toBe(0);
  // The deletion is acknowledged; the listener then closes what served.
  await expect.poll(async () => (await platform().run('list')).stdout).not.toContain('worked-on-dev');
  expect(await readdir(join(platform().folder, 'dev'))).toEqual([]);
}, 240_000);

test.each([
  [['deploy', '--name', 'Not_A_Name'], /^roadstead: --name: /],
  [['logs', 'noisy', '--level', 'loud'], /^roadstead: --level: /],
  [['logs', 'noisy', '--revision', 'first'], /^roadstead: --revision: /],
  [['logs', 'noisy', '--since', 'yesterday'], /^roadstead: --since must be a time/],
  [['logs', 'noisy', '--limit', '0'], /^roadstead: --limit must be/],
  [['key', 'create', 'x', '--scope', 'everything'], /^roadstead: --scope: /],
  [
    ['key', 'create', 'x', '--expires', '2020-01-01T00:00:00Z'],
    /^roadstead: --expires must lie in the future/,
  ],
  [['key', 'create', 'x', '--expires', 'soon'], /^roadstead: --expires: /],
  [['key', 'delete', 'x'], /^roadstead: ID: /],
])(
  'when a command is refused, then the refusal names what was typed: %j',
  async ([command = '', ...rest], sentence) => {
    const args = command === 'deploy' ? [command, agent(), ...rest] : [command, ...rest];
    const { code, stderr } = await platform().run(...args);
    expect([code, stderr.trim().split('\n').at(-1)]).toEqual([1, expect.stringMatching(sentence)]);
    const json = await platform().run(...args, '--json');
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { message: expect.any(String) as string } });
    expect([json.code, json.stdout]).toEqual([1, '']);
  },
);

test('when Ctrl-C comes, then the build goes on, and list tells what becomes of it', async () => {
  const child = spawn(
    process.execPath,
    [
      launcher,
      'deploy',
      agent(),
      '--build-command',
      'sleep 600',
      '--url',
      platform().url,
      '--api-key',
      platform().key,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  child.stderr.on('data', (bytes: Buffer) => (said += bytes.toString()));
  const ended = new Promise((done) => child.once('close', done));
  await expect.poll(() => said).toMatch(/ build\n/);
  child.kill('SIGINT');
  child.kill('SIGINT');
  expect(await ended).toBe(130);
  expect(said.trim().split('\n').at(-1)).toBe(
    'roadstead: Interrupted, but the build of noisy goes on: `roadstead logs noisy --build --follow` shows it, `roadstead status noisy` how it ended.',
  );
  expect((await platform().run('list')).stdout).toMatch(/^noisy +\S+ +http\S+ +latest is BUILDING$/m);
  const failed = await platform().run('deploy', agent(), '--build-command', 'echo no luck && false');
  expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('BUILD_FAILED in phase build')]);
  expect(failed.stderr.split('no luck\n').length - 1).toBe(1);
  const { result } = await callA2a(platform(), 'noisy', 'message/send', userMessage('still there'));
  expect(answerOf(result)).toBe('javascript 1: still there');
  expect((await platform().run('list')).stdout).toMatch(/^noisy .* latest is BUILD_FAILED: \S/m);
});

// Two edges agree on it within 30 s: test/replicas/limits.proof.test.ts.
test.skipIf(is_replicated)('when a key is revoked, then it is dead at once at the origin', async () => {
  const made = await platform().run('key', 'create', 'short', '--json');
  const { id, key } = JSON.parse(made.stdout) as { id: string; key: string };
  const asked = async () =>
    (await fetch(`${platform().url}/v2/deployments`, { headers: { 'x-api-key': key } })).status;
  expect([made.code, made.stderr, await asked()]).toEqual([0, '', 200]);
  expect(await platform().run('key', 'delete', id)).toMatchObject({
    code: 0,
    stdout: 'The key is revoked; no agent accepts it any more after 30 s.\n',
  });
  expect(await asked()).toBe(401);
});

test('when a secret is set, then it reaches the agent and nothing else, even if printed', async () => {
  const what = [join(root, 'test', 'agents', 'secretive')];
  expect(await leaksOf(platform(), { name: 'secretive', what })).toEqual([]);
  const listed = async () =>
    JSON.parse((await platform().run('list', '--json')).stdout) as { readonly name: string }[];
  expect(await listed()).toContainEqual(expect.objectContaining({ name: 'secretive' }));
  expect((await platform().run('logs', 'secretive', '--build')).stdout).toContain('npm');
  expect((await platform().run('delete', 'secretive', '--yes')).stdout).toContain('deleted');
  expect(await listed()).not.toContainEqual(expect.objectContaining({ name: 'secretive' }));
});

test.each([
  ['nowhere', /^roadstead: \S/],
  ['', /There is no langgraph\.json in .* --config/],
])('when a deploy is to be from test/agents/%s, then there is nothing to deploy', async (name, sentence) => {
  const { code, stderr } = await platform().run('deploy', join(root, 'test', 'agents', name));
  expect([code, stderr]).toEqual([1, expect.stringMatching(sentence)]);
});

test('when another server answers with a page, then the page is not repeated', async () => {
  const server = createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>welcome</html>'),
  );
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { code, stdout, stderr } = await runCommand(['list', '--url', url, '--api-key', 'some-key']);
  expect([code, stdout, stderr]).toEqual([
    1,
    '',
    `roadstead: ${url} is not a Roadstead: its answer is no JSON.\n`,
  ]);
});

test('when an env file is missing, then that is reported, on any Node', () => {
  const PATH = (process.env['PATH'] ?? '')
    .split(':')
    .filter((one) => !one.includes('node_modules'))
    .join(':');
  const options = { env: { PATH, ROADSTEAD_API_KEY: 'some-key' }, encoding: 'utf8' as const };
  const { status, stderr } = spawnSync(launcher, ['deploy', agent(), '--env-file', '/no/such'], options);
  expect([status, stderr]).toEqual([1, "roadstead: /no/such can't be read.\n"]);
});
