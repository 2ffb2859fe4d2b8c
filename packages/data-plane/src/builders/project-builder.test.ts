import { spawn, spawnSync } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { useFixturePerTest, useFolderPerTest } from '@roadstead/testing';
import { create } from 'tar';
import { expect, test } from 'vitest';
import { openFence } from '@roadstead/fence';
import { openTestBuilder } from '../testing/test-builder.ts';
import { BuildOutput } from './build-output.ts';
import { fencedCommands } from '../ports/command-place.ts';
import { runCommand } from './commands.ts';

const agents = fileURLToPath(new URL('../../../../test/agents/', import.meta.url));

const folder = useFolderPerTest('build-');
const fence = useFixturePerTest(
  async () => (await openFence({ isolation: 'auto', data_folder: folder(), sockets: [] })).fence,
);
/** Where a command of a test runs. */
const place = () => ({
  place: fencedCommands(fence()),
  cwd: folder(),
  environment: { PATH: '/usr/bin:/bin' },
  reads: [],
  writes: [folder()],
  home: folder(),
});
const silent = () => new BuildOutput({ onLine: () => undefined, mask: (text) => text });
let sleeps = 0;
/** A sleep that is found among the processes of this machine. */
const ownSleep = () => `sleep 300.${process.pid}${(sleeps += 1)}`;

test(
  'when a real agent is built, then npm installs it without our secrets, and it is packed',
  { timeout: 180_000 },
  async () => {
    const archive = join(folder(), 'source.tgz');
    await create({ cwd: join(agents, 'javascript'), file: archive, gzip: true }, ['.']);
    const { artifacts, build } = await openTestBuilder(folder(), {
      ...process.env,
      CANARY_SECRET: 'canary-value-1',
    });
    const { built, phases, lines } = build(await readFile(archive), {
      build_command: 'env && id -u && node --version',
    });
    const path = artifacts.pathOf(await built);
    expect(phases).toEqual(['source', 'install', 'build']);
    await stat(join(path, 'node_modules/@langchain/langgraph/package.json'));
    expect(lines).toContain('$ npm ci --no-audit --no-fund');
    expect(lines.join('\n')).not.toContain('canary');
    // Never run as root, and always with the Node that runs us.
    expect(lines).not.toContain('0');
    expect(lines).toContain(process.version);
    expect((await stat(join(path, 'agent.js'))).uid).toBe(process.getuid?.());
  },
);

test('when a command is aborted, then it ends with everything that it started', async () => {
  const stop = new AbortController();
  const sleep = ownSleep();
  const running = runCommand({
    command: `${sleep} & setsid ${sleep} & echo begun; wait`,
    ...place(),
    output: silent(),
    signal: stop.signal,
  });
  const ended = running.catch((error: unknown) => error);
  await expect.poll(() => countRunning(sleep)).toBe(2);
  stop.abort(new Error('given up'));
  expect(await ended).toMatchObject({ message: 'given up' });
  await expect.poll(() => countRunning(sleep)).toBe(0);
});

test('when a command leaves something running, then it still comes to its end', async () => {
  const began = Date.now();
  await runCommand({
    command: 'sleep 300 & exit 0',
    ...place(),
    output: silent(),
    signal: new AbortController().signal,
  });
  expect(Date.now() - began).toBeLessThan(20_000);
});

test.each([
  ['exit 3', /exit code 3/],
  ['kill -9 $$', /signal SIGKILL/],
  ['there-is-no-such-tool', /exit code 127/],
])('when the command is %s, then it says how it ended', async (command, message) => {
  const running = runCommand({
    command,
    ...place(),
    output: silent(),
    signal: new AbortController().signal,
  });
  await expect(running).rejects.toThrow(message);
});

test('when a command takes more memory than a build may have, then it is ended, in words', async () => {
  if (fence().resource_limits === 'none') return void process.stderr.write('NOT TESTED: limits of memory\n');
  const take = `const taken = []; while (taken.length < 40) taken.push(Buffer.alloc(16777216, 1)); setTimeout(() => taken, 60000)`;
  const running = runCommand({
    command: `'${process.execPath}' -e '${take}'`,
    ...place(),
    limits: { memory_mb: 256, cpus: undefined },
    output: silent(),
    signal: new AbortController().signal,
  });
  await expect(running).rejects.toMatchObject({
    code: 'out_of_memory',
    message: expect.stringContaining('took more than the 256 MB of memory'),
    hint: expect.stringContaining('ROADSTEAD_BUILD_MEMORY_MB'),
  });
});

/**
 * The number of processes of this machine with this command line; a killed one that was not waited for does not
 * count.
 */
function countRunning(command: string): number {
  const { stdout } = spawnSync('ps', ['-axww', '-o', 'stat=,args='], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => !line.startsWith('Z') && line.trimEnd().endsWith(` ${command}`))
    .length;
}

test('when the process that started a build ends, then the build ends too', async () => {
  const url = (name: string) => JSON.stringify(import.meta.resolve(name));
  const sleep = ownSleep();
  const program = `
    const { runCommand } = await import(${url('./commands.ts')});
    const { fencedCommands } = await import(${url('../ports/command-place.ts')});
    const { openFence } = await import(${url('@roadstead/fence')});
    const { BuildOutput } = await import(${url('./build-output.ts')});
    const output = new BuildOutput({ onLine: () => undefined, mask: (text) => text });
    const folder = ${JSON.stringify(folder())};
    const { fence } = await openFence({ isolation: 'auto', data_folder: folder, sockets: [] });
    const place = { place: fencedCommands(fence), cwd: folder, environment: { PATH: '/usr/bin:/bin' }, reads: [], writes: [folder], home: folder };
    await runCommand({ command: '${sleep} & wait', ...place, output, signal: new AbortController().signal });`;
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'inherit' });
  try {
    await expect.poll(() => countRunning(sleep)).toBe(1);
  } finally {
    parent.kill('SIGKILL');
  }
  await expect.poll(() => countRunning(sleep)).toBe(0);
});
