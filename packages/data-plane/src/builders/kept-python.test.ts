import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { useFixture, useFixturePerTest, useFolder, useFolderPerTest } from '@roadstead/testing';
import { provideUv } from '@roadstead/uv';
import { expect, test } from 'vitest';
import { removeTree } from '../folders/remove-tree.ts';
import { PythonIndex } from '../testing/python-index.ts';
import { archiveOf } from '../testing/python-projects.ts';
import { openTestBuilder } from '../testing/test-builder.ts';
import { pythonInputs } from './kept-python.ts';

/** Saves of `roadstead dev`, with the real uv from an index on this machine. */

const folder = useFolderPerTest('kept-python-');
const tools = useFolder('python-tools-');
const index = useFixturePerTest(async () => {
  const opened = await PythonIndex.open();
  for (const name of ['langgraph', 'tides', 'harbour']) opened.publish(name);
  return opened;
});
const uv = useFixture(() =>
  provideUv({
    folder: join(tools(), 'uv'),
    environment: { ...process.env },
    signal: AbortSignal.timeout(600_000),
  }),
);

const project = (code: string, requirements = 'tides==1.0\n') => ({
  'langgraph.json': '{"graphs":{"agent":"./agent.py:graph"}}',
  'agent.py': code,
  'requirements.txt': requirements,
});

async function openSaves() {
  const environment = {
    PATH: `${dirname(uv())}:${process.env['PATH'] ?? ''}`,
    HOME: folder(),
    UV_DEFAULT_INDEX: index().url,
  };
  const { artifacts, build } = await openTestBuilder(folder(), environment);
  await mkdir(join(folder(), 'dev'));
  const note = { pid: process.pid, folder: folder(), packages: [] };
  await writeFile(join(folder(), 'dev/d.json'), JSON.stringify(note));
  const save = async (files: Readonly<Record<string, string>>) => {
    const { built, phases } = build(await archiveOf(files));
    const path = artifacts.pathOf(await built);
    const read = (name: string) => readFile(join(path, name), 'utf8').catch(() => undefined);
    return {
      path,
      phases,
      code: await read('agent.py'),
      tides: await read('.roadstead/python/packages/tides/__init__.py'),
      harbour: await read('.roadstead/python/packages/harbour/__init__.py'),
      record: await read('.roadstead/python.json'),
    };
  };
  return save;
}

test('when code is saved, then its packages are those of the save before', async () => {
  const save = await openSaves();
  const first = await save(project('a = 1'));
  expect(first).toMatchObject({ phases: ['source', 'install'], code: 'a = 1', harbour: undefined });
  expect(first.tides).toBeDefined();
  const second = await save(project('a = 2'));
  const { record, tides } = first;
  expect(second).toMatchObject({ phases: ['source'], code: 'a = 2', record, tides });

  const more = await save(project('a = 2', 'tides==1.0\nharbour==1.0\n'));
  expect(more.phases).toEqual(['source', 'install']);
  expect(more.harbour).toBeDefined();
});

test('when the requirements of a save are wrong, then the next right one is linked again', async () => {
  const save = await openSaves();
  const { tides } = await save(project('a = 1'));
  await expect(save(project('a = 1', 'krakens\n'))).rejects.toThrow(/krakens|uv pip/);
  expect(await save(project('a = 2'))).toMatchObject({ phases: ['source'], tides });
});

test('when the artifact of the save before is gone, then packages are installed again', async () => {
  const save = await openSaves();
  const { path, tides } = await save(project('a = 1'));
  await removeTree(path);
  expect(await save(project('a = 2'))).toMatchObject({ phases: ['source', 'install'], tides });
});

test.each([
  ['requirements.txt', true],
  ['libs/planks/pyproject.toml', true],
  ['libs/planks/setup.py', true],
  ['uv.lock', true],
  ['requirements/base.txt', true],
  ['limits.txt', true],
  ['conf/own.conf', true],
  ['notes.txt', false],
  ['settings.toml', false],
  ['tox.ini', false],
  ['setup.cfg', true],
  ['agents.json', true],
  ['agent.py', false],
  ['README.md', false],
])('when %s changes, then packages may change, or not', async (name, expected) => {
  await writeFile(join(folder(), 'requirements.txt'), 'tides\n-c limits.txt\n');
  const of = async (text: string) => {
    await mkdir(dirname(join(folder(), name)), { recursive: true });
    await writeFile(join(folder(), name), text);
    const settings = { config_path: 'agents.json', pip_config_file: 'conf/own.conf' };
    return await pythonInputs(folder(), settings);
  };
  expect((await of('one')) !== (await of('two'))).toBe(expected);
});
