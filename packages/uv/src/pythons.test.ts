import { execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { useFolder, useFolderPerTest } from '@roadstead/testing';
import { pythonTools } from '@roadstead/testing/processes';
import { beforeAll, expect, test as anyTest } from 'vitest';
import { type Interpreter, Pythons } from './pythons.ts';

const signal = AbortSignal.timeout(300_000);
const folder = useFolderPerTest('pythons-');
const own = useFolder('own-');
const tools = await pythonTools();
if (typeof tools === 'string') process.stderr.write(`NOT TESTED: ${tools}\n`);
const test = anyTest.skipIf(typeof tools === 'string');
const uv = typeof tools === 'string' ? '' : tools.uv;
let there: Interpreter;
beforeAll(async () => {
  if (uv !== '') there = await open({ ...process.env }).provide('>=3.11,<3.15', signal);
});

const open = (environment: Readonly<Record<string, string | undefined>>) =>
  new Pythons({ uv: async () => uv, folder: join(own(), 'pythons'), environment });

const minorOf = ({ version }: Interpreter) => version.split('.').slice(0, 2).join('.');

test('when this machine has a Python, then it is found with its exact version and its own folder', async () => {
  const code = 'import os, sys; print(sys.prefix, "%d.%d.%d" % sys.version_info[:3])';
  const { stdout } = await promisify(execFile)(there.executable, ['-I', '-c', code]);
  expect(stdout.trim()).toBe(`${there.folder} ${there.version}`);
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

test('when a Python can be brought from nowhere, then the refusal says why', async () => {
  const list = join(folder(), 'downloads.json');
  await writeFile(list, '{}');
  const pythons = open({ PATH: dirname(there.executable), UV_PYTHON_DOWNLOADS_JSON_URL: list });
  await expect(pythons.provide('3.14.1', signal)).rejects.toMatchObject({
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
