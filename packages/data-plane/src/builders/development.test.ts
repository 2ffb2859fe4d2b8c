import { lstat, mkdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useFolderPerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { linkPackages, findDevelopment } from './development.ts';

const folder = useFolderPerTest('development-');

const note = async (content: object | string) => {
  await writeFile(
    join(folder(), 'one.json'),
    typeof content === 'string' ? content : JSON.stringify(content),
  );
  return await findDevelopment(folder(), 'one');
};
const worked = {
  pid: process.pid,
  folder: '/project',
  packages: ['node_modules', 'packages/a/node_modules'],
};
/** More than any system gives. */
const NOBODY = 2 ** 30;

test('when the process of a note lives, then the note counts, and else it does not', async () => {
  expect(await findDevelopment(folder(), 'one')).toBeUndefined();
  expect(await note(worked)).toEqual(worked);
  expect(await findDevelopment(folder(), 'other')).toBeUndefined();
  expect(await note({ ...worked, pid: NOBODY })).toBeUndefined();
});

test.each([
  ['a folder that is not named whole', { ...worked, folder: 'project' }],
  ['packages outside of it', { ...worked, packages: ['../node_modules'] }],
  ['packages by their whole path', { ...worked, packages: ['/etc'] }],
  ['a process that is none', { ...worked, pid: -1 }],
  ['something else', 'null'],
])('when a note holds %s, then it counts for nothing', async (_what, content) => {
  expect(await note(content)).toBeUndefined();
});

test('when packages come beside a source, then with their links, and the folder keeps its own', async () => {
  const [from, to] = [join(folder(), 'from'), join(folder(), 'to')];
  for (const path of ['node_modules/a', 'packages/b/node_modules/c']) {
    await mkdir(join(from, path), { recursive: true });
    await writeFile(join(from, path, 'index.js'), path);
  }
  await symlink('a', join(from, 'node_modules', 'link'));
  await mkdir(to);
  await linkPackages({ pid: 1, folder: from, packages: ['node_modules', 'packages/b/node_modules'] }, to);
  expect(await readFile(join(to, 'node_modules/a/index.js'), 'utf8')).toBe('node_modules/a');
  expect(await readFile(join(to, 'packages/b/node_modules/c/index.js'), 'utf8')).toBe(
    'packages/b/node_modules/c',
  );
  expect(await readlink(join(to, 'node_modules/link'))).toBe('a');
  const [one, other] = await Promise.all([from, to].map((at) => stat(join(at, 'node_modules/a/index.js'))));
  expect(one?.ino).toBe(other?.ino);
  await rm(to, { recursive: true });
  expect(await readFile(join(from, 'node_modules/a/index.js'), 'utf8')).toBe('node_modules/a');
});

test('when a link leads to packages, then they come, too', async () => {
  await mkdir(join(folder(), 'elsewhere/a'), { recursive: true });
  await writeFile(join(folder(), 'elsewhere/a/index.js'), 'a');
  await mkdir(join(folder(), 'from'));
  await symlink('../elsewhere', join(folder(), 'from/node_modules'));
  const to = join(folder(), 'made/to');
  await linkPackages({ pid: 1, folder: join(folder(), 'from'), packages: ['node_modules'] }, to);
  expect((await lstat(join(to, 'node_modules'))).isDirectory()).toBe(true);
  expect(await readFile(join(to, 'node_modules/a/index.js'), 'utf8')).toBe('a');
});

test('when packages are gone, then they are named', async () => {
  await expect(
    linkPackages({ pid: 1, folder: folder(), packages: ['node_modules'] }, join(folder(), 'to')),
  ).rejects.toThrow(/installed packages in .*node_modules can't be copied/);
});
