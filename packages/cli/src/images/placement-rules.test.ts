import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { useFolderPerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { readInstalled } from './installed-packages.ts';
import { type InstalledPackage, isLeftOut, isSecondProgram, placePackages } from './placement-rules.ts';
import { copyStill } from './still-copy.ts';

const folder = useFolderPerTest('installed-');

/** Packages by their folders, each with what it finds. */
const installedAs = (packages: Readonly<Record<string, Readonly<Record<string, string>>>>) =>
  new Map<string, InstalledPackage>(
    Object.entries(packages).map(([at, finds]) => [at, { folder: at, finds }]),
  );

const placesOf = (packages: Readonly<Record<string, Readonly<Record<string, string>>>>) =>
  Object.fromEntries(
    placePackages({ name: 'own', folder: '/own' }, installedAs(packages)).map((one) => [
      one.place,
      one.folder,
    ]),
  );

test.each<[string, Parameters<typeof placesOf>[0], Record<string, string>]>([
  [
    'once',
    { '/own': { a: '/m/a', b: '/m/b' }, '/m/a': { b: '/m/b' }, '/m/b': {} },
    { 'node_modules/own': '/own', 'node_modules/a': '/m/a', 'node_modules/b': '/m/b' },
  ],
  [
    'in two versions',
    { '/own': { a: '/m/a', b: '/m/b' }, '/m/a': { b: '/m/a/b1' }, '/m/a/b1': {}, '/m/b': {} },
    {
      'node_modules/own': '/own',
      'node_modules/a': '/m/a',
      'node_modules/b': '/m/b',
      'node_modules/a/node_modules/b': '/m/a/b1',
    },
  ],
  [
    'in a circle',
    { '/own': { a: '/m/a' }, '/m/a': { b: '/m/b' }, '/m/b': { a: '/m/a', own: '/own' } },
    { 'node_modules/own': '/own', 'node_modules/a': '/m/a', 'node_modules/b': '/m/b' },
  ],
  [
    'within another',
    { '/own': { a: '/own/node_modules/a' }, '/own/node_modules/a': {} },
    { 'node_modules/own': '/own', 'node_modules/own/node_modules/a': '/own/node_modules/a' },
  ],
])('when a package is installed %s, then it is placed so', (_case, packages, places) => {
  expect(placesOf(packages)).toEqual(places);
});

test.each([
  ['index.js', false],
  ['index.d.ts', true],
  ['index.d.mts', true],
  ['index.js.map', true],
  ['README.md', true],
  ['LICENSE.md', false],
  ['libpq.a', true],
  ['module.ts', true],
])('when a package holds %s, then it is left out: %s', (name, is) => {
  expect(isLeftOut(name)).toBe(is);
  expect([
    isSecondProgram('node_modules/esbuild', 'bin/esbuild'),
    isSecondProgram('node_modules/a', 'bin/esbuild'),
  ]).toEqual([true, false]);
});

async function write(path: string, text: string) {
  await mkdir(dirname(join(folder(), path)), { recursive: true });
  await writeFile(join(folder(), path), text, { mode: 0o600 });
}

test('when packages are installed here, then those that are needed are found, by links too', async () => {
  await write(
    'own/package.json',
    '{"dependencies": {"a": "1", "node": "24"}, "optionalDependencies": {"c": "1"}}',
  );
  await write('store/a/package.json', '{"peerDependencies": {"p": "1", "q": "1"}}');
  await write('node_modules/p/package.json', '{}');
  await write('node_modules/other/package.json', '{}');
  await symlink(join(folder(), 'store/a'), join(folder(), 'node_modules/a'));
  const found = await readInstalled(join(folder(), 'own'));
  const short = (path: string) => path.slice(path.indexOf(folder()) + folder().length + 1);
  expect([...found].map(([at, { finds }]) => [short(at), Object.keys(finds)])).toEqual([
    ['own', ['a']],
    ['store/a', ['p']],
    ['node_modules/p', []],
  ]);
  await write('own/package.json', '{"dependencies": {"missing": "1"}}');
  await expect(readInstalled(join(folder(), 'own'))).rejects.toMatchObject({
    message: 'The package missing, which Roadstead needs, is not installed beside it.',
  });
});

test('when a folder is copied, then rights and times are the same for all, and links are links', async () => {
  await write('from/run', '#!/bin/sh\n');
  await write('from/left.d.ts', '');
  await symlink('run', join(folder(), 'from/link'));
  const to = join(folder(), 'to');
  await copyStill({ from: join(folder(), 'from'), to, time_s: 1000, isLeftOut });
  expect(await readFile(join(to, 'link'), 'utf8')).toBe('#!/bin/sh\n');
  const { mode, mtimeMs } = await stat(join(to, 'run'));
  expect([(mode & 0o777).toString(8), mtimeMs, (await stat(to)).mtimeMs]).toEqual(['644', 1e6, 1e6]);
  await expect(stat(join(to, 'left.d.ts'))).rejects.toMatchObject({ code: 'ENOENT' });
});
