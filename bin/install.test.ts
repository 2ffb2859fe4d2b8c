import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

/** The installer in a checkout of its own, with an npm that writes down what it does and ends when it is told to. */

const lockOf = (version: string) =>
  JSON.stringify({
    packages: {
      '': { name: 'checkout' },
      'node_modules/one': { version, integrity: `sha512-${version}` },
      'node_modules/elsewhere': { version: '1.0.0', optional: true, os: ['aix'] },
      'node_modules/ours': { resolved: 'packages/ours', link: true },
    },
  });

const npm = `#!${process.execPath}
const fs = require('node:fs');
fs.rmSync('node_modules', { recursive: true, force: true });
fs.appendFileSync('npm.log', 'begin ' + JSON.stringify(process.env) + '\\n');
const timer = setInterval(() => {
  if (!fs.existsSync('go')) return;
  clearInterval(timer);
  fs.mkdirSync('node_modules');
  const lock = JSON.parse(fs.readFileSync('package-lock.json'));
  delete lock.packages['']; delete lock.packages['node_modules/elsewhere'];
  fs.appendFileSync('npm.log', 'end\\n');
  if (fs.existsSync('fail')) process.exit(1);
  fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify(lock));
}, 5);
`;

async function checkout() {
  const root = await mkdtemp(join(tmpdir(), 'roadstead-install-'));
  onTestFinished(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));
  await mkdir(join(root, 'bin'));
  await mkdir(join(root, 'path'));
  await cp(fileURLToPath(new URL('install.mjs', import.meta.url)), join(root, 'bin', 'install.mjs'));
  await writeFile(
    join(root, 'bin', 'client.mjs'),
    `import { install, isInstalled } from './install.mjs'; await install(isInstalled);`,
  );
  await writeFile(join(root, 'path', 'npm'), npm, { mode: 0o755 });
  await writeFile(join(root, 'package-lock.json'), lockOf('1.0.0'));
  const start = (script = 'install.mjs', env: Record<string, string> = {}) => {
    const child = spawn(process.execPath, [join(root, 'bin', script)], {
      env: { PATH: join(root, 'path'), ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (bytes: Buffer) => (said += bytes.toString()));
    return { child, ended: ended(child), said: () => said };
  };
  const log = async () =>
    (await readFile(join(root, 'npm.log'), 'utf8').catch(() => '')).split('\n').slice(0, -1);
  return {
    root,
    start,
    log,
    go: () => writeFile(join(root, 'go'), ''),
    events: async () => (await log()).map((line) => line.split(' ')[0]),
  };
}

async function ended(child: ChildProcess): Promise<number | string> {
  const [code, signal] = (await once(child, 'close')) as [number | null, string];
  return code ?? signal;
}

test('when eight start at once, then one installs and the others wait for it', async () => {
  const { start, go, events } = await checkout();
  const all = Array.from({ length: 8 }, () => start());
  await expect.poll(() => all.filter((one) => one.said().includes('Waiting for another')).length).toBe(7);
  await go();
  expect(await Promise.all(all.map((one) => one.ended))).toEqual(all.map(() => 0));
  expect(await events()).toEqual(['begin', 'end']);
});

test('when the process that holds a turn is dead, then exactly one other takes the turn', async () => {
  const { root, start, go, events } = await checkout();
  await go();
  await mkdir(join(root, '.installing'));
  await symlink('2147483646', join(root, '.installing', '7'));
  const all = Array.from({ length: 8 }, () => start());
  expect(await Promise.all(all.map((one) => one.ended))).toEqual(all.map(() => 0));
  expect(await events()).toEqual(['begin', 'end']);
});

test('when npm outlives the process that started it, then the next start waits for it', async () => {
  const { start, go, events } = await checkout();
  const killed = start();
  await expect.poll(events).toEqual(['begin']);
  killed.child.kill('SIGKILL');
  await once(killed.child, 'exit');
  const next = start();
  await expect.poll(next.said).toContain('Waiting for another');
  await go();
  expect(await next.ended).toBe(0);
  expect(await events()).toEqual(['begin', 'end']);
});

test('when the lock file changes, then starting a platform installs again, and a client does not', async () => {
  const { root, start, go, events } = await checkout();
  await go();
  expect(await start('client.mjs').ended).toBe(0);
  expect(await start().ended).toBe(0);
  expect(await events()).toEqual(['begin', 'end']);
  await writeFile(join(root, 'package-lock.json'), lockOf('2.0.0'));
  expect(await start('client.mjs').ended).toBe(0);
  expect(await events()).toEqual(['begin', 'end']);
  expect(await start().ended).toBe(0);
  expect(await events()).toEqual(['begin', 'end', 'begin', 'end']);
});

test('when npm is called, then it gets proxy and registry settings, and none of the outer run', async () => {
  const { start, go, log } = await checkout();
  await go();
  const kept = {
    npm_config_https_proxy: 'http://proxy',
    npm_config_cafile: '/ca.pem',
    npm_config_registry: 'http://r/',
  };
  const dropped = {
    npm_config_prefix: '/usr',
    npm_config_omit: 'dev',
    npm_config_global: 'true',
    npm_lifecycle_event: 'start',
  };
  expect(await start('install.mjs', { ...kept, ...dropped }).ended).toBe(0);
  const env = JSON.parse((await log())[0]?.slice('begin '.length) ?? '') as object;
  expect(env).toMatchObject(kept);
  for (const name of Object.keys(dropped)) expect(env).not.toHaveProperty(name);
});

test('when npm is stopped or fails, then the start ends with its exit code and one sentence', async () => {
  const { root, start, go, events } = await checkout();
  const stopped = start();
  await expect.poll(events).toEqual(['begin']);
  stopped.child.kill('SIGTERM');
  expect(await stopped.ended).toBe(143);
  await writeFile(join(root, 'fail'), '');
  await go();
  const failed = start();
  expect(await failed.ended).toBe(1);
  expect(failed.said()).toContain('roadstead: npm ci failed');
});
