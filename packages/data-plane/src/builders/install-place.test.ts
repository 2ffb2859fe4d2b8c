import { expect, test } from 'vitest';
import { installPlace, linkedFolders } from './install-place.ts';

type Files = Readonly<Record<string, object | string>>;

const placeOf = (folder: string, files: Files) => ({
  folder,
  files: Object.keys(files),
  texts: Object.fromEntries(
    Object.entries(files).map(([name, text]) => [
      name,
      typeof text === 'string' ? text : JSON.stringify(text),
    ]),
  ),
});

const packages = { 'package.json': { dependencies: { zod: '4' } } };
const bare = { 'package.json': { type: 'module', dependencies: {} } };
const npmRoot = (...workspaces: string[]) => ({ 'package.json': { workspaces }, 'package-lock.json': '' });
const pnpmRoot = (text: string) => ({
  'package.json': {},
  'pnpm-workspace.yaml': text,
  'pnpm-lock.yaml': '',
});

test.each<[string, string | undefined, Record<string, Files>]>([
  ['the only folder', '.', { '.': packages }],
  ['a folder with nothing to install', undefined, { apps: {}, '.': {} }],
  ['the folder of the agent', 'app', { app: packages, '.': {} }],
  ['a root that holds the packages of an agent below', '.', { app: {}, '.': packages }],
  ['an agent beside another project', 'agent', { agent: packages, '.': packages }],
  ['an agent whose package.json names no packages', '.', { agent: bare, '.': packages }],
  ['a package.json that names nothing, alone', 'agent', { agent: bare, '.': {} }],
  ['a package.json that is none', 'agent', { agent: { 'package.json': '{' }, '.': packages }],
  ['a folder in which only a lock file lies', 'agent', { agent: { 'bun.lock': '' }, '.': packages }],
  ['a member of a workspace of npm', '.', { 'apps/agent': packages, apps: {}, '.': npmRoot('apps/*') }],
  ['one named by its path', '.', { 'apps/agent': packages, apps: {}, '.': npmRoot('./apps/agent/') }],
  ['one below a member', '.', { 'apps/a/src': {}, 'apps/a': packages, apps: {}, '.': npmRoot('apps/*') }],
  ['one without packages of its own', '.', { 'apps/agent': bare, apps: {}, '.': npmRoot('apps/*') }],
  ['no member', 'apps/agent', { 'apps/agent': packages, apps: {}, '.': npmRoot('packages/*') }],
  ['one that is left out', 'apps/agent', { 'apps/agent': packages, '.': npmRoot('apps/*', '!apps/agent') }],
  [
    'a workspace below the root',
    'js',
    { 'js/apps/agent': packages, 'js/apps': {}, js: npmRoot('apps/**'), '.': packages },
  ],
  [
    'a member of classic yarn',
    '.',
    { 'packages/agent': packages, '.': { 'package.json': { workspaces: { packages: ['packages/*'] } } } },
  ],
  [
    'a member with a lock file that was left behind',
    '.',
    { 'apps/agent': { ...packages, 'package-lock.json': '' }, '.': npmRoot('apps/*') },
  ],
  [
    'a member of a workspace of pnpm',
    '.',
    { 'apps/agent': packages, '.': pnpmRoot("packages:\n  - 'apps/*'\n  - packages/*\n") },
  ],
  [
    'a pnpm-workspace.yaml that holds settings only',
    'app',
    { app: packages, '.': pnpmRoot('catalog: {}\n') },
  ],
  ['one that is no YAML', 'app', { app: packages, '.': pnpmRoot('packages: [') }],
])('when there is %s, then packages are installed in %s', (_what, folder, places) => {
  const chain = Object.entries(places).map(([at, files]) => placeOf(at, files));
  expect(installPlace(chain)?.folder).toBe(folder);
});

test('when a dependency is a folder, then it is found, unless it lies outside of the project', () => {
  const dependencies = {
    a: 'file:../shared',
    b: 'link:./lib',
    c: 'file:../../..',
    d: 'file:/etc',
    e: '^1.0.0',
    f: 'workspace:../x',
  };
  const place = placeOf('apps/agent', {
    'package.json': { dependencies, devDependencies: { g: 'file:..' } },
  });
  expect(linkedFolders(place)).toEqual(['apps/shared', 'apps/agent/lib', 'apps']);
});
