import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, cp, mkdir, readdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { useFolder, useFolderPerTest } from '@roadstead/testing';
import { pythonTools } from '@roadstead/testing/processes';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import type { Interpreter } from './python-notes.ts';
import { Pythons } from './pythons.ts';

const signal = AbortSignal.timeout(300_000);
const folder = useFolderPerTest('pythons-');
const own = useFolder('own-');
const tools = await pythonTools();
if (typeof tools === 'string') process.stderr.write(`NOT TESTED: ${tools}\n`);
beforeEach(({ skip }) => skip(typeof tools === 'string'));
const uv = typeof tools === 'string' ? '' : tools.uv;
let there: Interpreter;
beforeAll(async () => {
  if (uv !== '') there = await open({ ...process.env }).provide('>=3.11', signal);
});

const open = (environment: Readonly<Record<string, string | undefined>>) =>
  new Pythons({ uv: async () => uv, folder: join(own(), 'pythons'), environment });

const minorOf = ({ version }: Interpreter) => version.split('.').slice(0, 2).join('.');

test('when this machine has a Python, then it is found with its exact version and its own folder', async () => {
  const code = 'import os, sys; print(sys.prefix, "%d.%d.%d" % sys.version_info[:3])';
  const { stdout } = await promisify(execFile)(there.executable, ['-I', '-c', code]);
  expect(stdout.trim()).toBe(`${there.folder} ${there.version}`);
});

test('when a link to a Python is on the PATH, then the Python itself is found', async () => {
  const link = join(folder(), `python${minorOf(there)}`);
  await symlink(there.executable, link);
  const found = await open({ PATH: folder(), UV_PYTHON_DOWNLOADS: 'never' }).provide(minorOf(there), signal);
  expect(found).toEqual(there);
});

test('when an artifact needs a Python that is gone, then that is said', async () => {
  const pythons = open({ PATH: dirname(there.executable), UV_PYTHON_DOWNLOADS: 'never' });
  await expect(pythons.provideFor('3.99.1', signal)).rejects.toThrow(
    'Python 3.99 is asked for, and this machine has',
  );
});

test('when the exact version is gone, then another with the same first numbers takes its place', async () => {
  const pythons = open({ ...process.env });
  const { version } = there;
  expect(await pythons.provideFor(version, signal)).toMatchObject({ version, folder: there.folder });
  const other = await pythons.provideFor(`${minorOf(there)}.99`, signal);
  expect(minorOf(other)).toBe(minorOf(there));
});

test('when a Python is not there and may not be brought, then the refusal names those that are', async () => {
  const pythons = open({ PATH: dirname(there.executable), UV_PYTHON_DOWNLOADS: 'never' });
  await expect(pythons.provide('3.99', signal)).rejects.toMatchObject({
    message: expect.stringMatching(/^Python 3\.99 is asked for, and this machine has .*\d\.\d+\.\d+.*\.$/),
    hint: 'Install it on this machine, or let uv bring it (UV_PYTHON_DOWNLOADS forbids it now).',
  });
});

/** A list of Pythons that may be brought, with this machine's own as the only one, as an archive. */
async function listOfOwn(): Promise<string> {
  const minor = minorOf(there);
  const library = join(there.folder, 'lib', `python${minor}`);
  const left_out =
    /\/(tests?|idlelib|lib2to3|tkinter|turtledemo|ensurepip|pydoc_data|(site|dist)-packages|__pycache__|config-[^/]*)$|\.a$/;
  const root = join(folder(), 'python');
  await mkdir(join(root, 'bin'), { recursive: true });
  await cp(there.executable, join(root, 'bin', `python${minor}`));
  await cp(library, join(root, 'lib', `python${minor}`), {
    recursive: true,
    dereference: true,
    filter: (path) => !left_out.test(path),
  });
  for (const name of await readdir(join(there.folder, 'lib')))
    if (name.startsWith(`libpython${minor}`) && /\.(so\.[\d.]+|dylib)$/.test(name))
      await cp(join(there.folder, 'lib', name), join(root, 'lib', name), { dereference: true });
  const archive = join(folder(), 'python.tar.gz');
  await promisify(execFile)('tar', ['-cf', join(folder(), 'python.tar'), '-C', folder(), 'python']);
  await promisify(execFile)('gzip', ['-1', join(folder(), 'python.tar')]);
  const [major, second, patch] = there.version.split('.').map(Number);
  const isLinux = process.platform === 'linux';
  const family = process.arch === 'x64' ? 'x86_64' : 'aarch64';
  const libc = isLinux ? 'gnu' : 'none';
  const os = isLinux ? 'linux' : 'darwin';
  const place = { name: 'cpython', arch: { family, variant: null }, os, libc };
  const version = { major, minor: second, patch, prerelease: '', variant: null, build: '20250101' };
  const sha256 = createHash('sha256')
    .update(await readFile(archive))
    .digest('hex');
  const download = { ...place, ...version, url: `file://${archive}`, sha256 };
  const list = join(folder(), 'downloads.json');
  await writeFile(list, JSON.stringify({ [`cpython-${there.version}-${os}-${family}-${libc}`]: download }));
  return list;
}

test('when a Python is not there, then uv brings it, and it is found again', async () => {
  const place = join(folder(), 'brought');
  const pythons = new Pythons({
    uv: async () => uv,
    folder: place,
    environment: { PATH: '/nowhere', HOME: folder(), UV_PYTHON_DOWNLOADS_JSON_URL: await listOfOwn() },
  });
  const brought = await pythons.provide(minorOf(there), signal);
  expect(brought.version).toBe(there.version);
  expect(brought.executable.startsWith(`${await realpath(place)}/`)).toBe(true);
  expect(await pythons.provideFor(there.version, signal)).toEqual(brought);
});

test('when a Python can be brought from nowhere, then the refusal says why', async () => {
  const list = join(folder(), 'downloads.json');
  await writeFile(list, '{}');
  const pythons = open({ PATH: dirname(there.executable), UV_PYTHON_DOWNLOADS_JSON_URL: list });
  await expect(pythons.provide('3.14.1', signal)).rejects.toMatchObject({
    kind: 'invalid',
    hint: expect.stringMatching(/^Install it on this machine, or let uv bring it \(.+\)\.$/),
  });
});

test('when a version manager is on the PATH, then all its versions are found', async () => {
  const shims = join(folder(), '.pyenv/shims');
  const versions = join(folder(), '.pyenv/versions/3.x/bin');
  for (const path of [shims, versions]) await mkdir(path, { recursive: true });
  const program = join(versions, `python${minorOf(there)}`);
  await writeFile(program, `#!/bin/sh\nexec ${there.executable} "$@"\n`);
  await chmod(program, 0o755);
  const found = await open({ PATH: shims, UV_PYTHON_DOWNLOADS: 'never' }).provide(minorOf(there), signal);
  expect(found.version).toBe(there.version);
});

test('when a Python was found before, then another process needs neither uv nor its index', async () => {
  const options = { folder: folder(), environment: { ...process.env } };
  const found = await new Pythons({ ...options, uv: async () => uv }).provide(minorOf(there), signal);
  const away = async () => await Promise.reject(new Error('no uv'));
  const later = () => new Pythons({ ...options, uv: away });
  expect(await later().provideFor(found.version, signal)).toEqual(found);
  // Nobody can say whether the exact one is there: this one is.
  expect(await later().provideFor(`${minorOf(there)}.99`, signal)).toEqual(found);
  await writeFile(join(folder(), '.found', found.version), '/gone/python3');
  await expect(later().provideFor(found.version, signal)).rejects.toThrow('no uv');
});

test('when some uv is there, then it looks for Pythons, and none is brought', async () => {
  const pythons = new Pythons({
    folder: folder(),
    environment: { ...process.env },
    uv: async () => await Promise.reject(new Error('no uv')),
    any_uv: async () => uv,
  });
  expect(await pythons.provideFor(there.version, signal)).toMatchObject({ version: there.version });
});

test('when several requests are made, then the first that this machine can answer counts', async () => {
  const pythons = open({ ...process.env, UV_PYTHON_DOWNLOADS: 'never' });
  const requests = ['>=3.11,==3.99.*', `>=3.11,==${minorOf(there)}.*`, '>=3.11'];
  expect(minorOf(await pythons.provideFirst(requests, signal))).toBe(minorOf(there));
});

test('when the host of Pythons does not answer, then a retry may help', async () => {
  const pythons = open({ PATH: '/nowhere', HOME: folder(), UV_PYTHON_INSTALL_MIRROR: 'http://127.0.0.1:1' });
  await expect(pythons.provide('3.14.0', signal)).rejects.toMatchObject({ kind: 'unavailable' });
});

test('when Pythons are pruned, then those of artifacts, those given and new ones stay', async () => {
  const place = await realpath(folder());
  const brought = (version: string) => `cpython-${version}-linux-x86_64-gnu`;
  for (const version of ['3.12.1', '3.12.9', '3.13.0'])
    await mkdir(join(place, brought(version), 'bin'), { recursive: true });
  await symlink(brought('3.12.9'), join(place, 'cpython-3.12-linux-x86_64-gnu'));
  await mkdir(join(place, '.gone', 'left'), { recursive: true });
  const left = async () => (await readdir(place)).toSorted();
  const pythons = new Pythons({ uv: async () => uv, folder: place, environment: { PATH: '/nowhere' } });
  const all = await left();
  await pythons.prune(new Set(['3.12.1']));
  expect(await left()).toEqual(all.filter((name) => name !== '.gone'));
  const in_two_days = Date.now() + 2 * 86_400_000;
  await pythons.prune(new Set(['3.12.1']), in_two_days);
  expect(await left()).toEqual([brought('3.12.1')]);
});

test('when a Python was given, then it stays until the process ends', async () => {
  const place = join(folder(), 'brought');
  const environment = { PATH: '/nowhere', HOME: folder(), UV_PYTHON_DOWNLOADS_JSON_URL: await listOfOwn() };
  const opened = () => new Pythons({ uv: async () => uv, folder: place, environment });
  const pythons = opened();
  const given = await pythons.provide(minorOf(there), signal);
  const later = Date.now() + 2 * 86_400_000;
  await pythons.prune(new Set(), later);
  expect(await readdir(given.folder)).toContain('bin');
  await opened().prune(new Set(), later);
  await expect(readdir(given.folder)).rejects.toThrow('ENOENT');
});
