import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useFolderPerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { pipConfigOf, readPipConfig, readUvConfig, uvConfigOf } from './index-files-rules.ts';
import { noSettings, secretsOf } from './index-settings.ts';
import { passedVariables, readOperatorSettings } from './operator-settings.ts';

const folder = useFolderPerTest('index-');

const PIP = `# settings of the harbour
[global]
index-url = https://clerk:key@boats.test/simple
extra_index_url: https://one.test
    https://two.test
trusted-host = boats.test
cert=/etc/boats.pem

[install]
no-index = yes
find-links = /opt/boats
[freeze]
timeout = 10
`;

test('when pip.conf has sections and long values, then those of installing are read', () => {
  expect(readPipConfig(PIP)).toEqual({
    ...noSettings,
    default_index: 'https://clerk:key@boats.test/simple',
    extra_indexes: ['https://one.test', 'https://two.test'],
    find_links: ['/opt/boats'],
    insecure_hosts: ['boats.test'],
    uses_no_index: true,
    certificates: '/etc/boats.pem',
  });
  expect(readPipConfig('no file of settings')).toEqual(noSettings);
});

const UV = `
find-links = ["/opt/boats"]
index-strategy = "unsafe-best-match"
[[index]]
url = "https://one.test"
[[index]]
url = "https://named.test"
explicit = true
[[index]]
url = "https://boats.test"
default = true
`;

test('when uv.toml names indexes, then all but the explicit ones are read', () => {
  expect(readUvConfig(UV)).toEqual({
    ...noSettings,
    default_index: 'https://boats.test',
    extra_indexes: ['https://one.test'],
    find_links: ['/opt/boats'],
    strategy: 'unsafe-best-match',
  });
  expect(readUvConfig('index-url = "https://old.test"').default_index).toBe('https://old.test');
  expect(readUvConfig('index = 5 = 6')).toEqual(noSettings);
});

test('when settings are written for a build, then uv and pip read the same', () => {
  const settings = { ...readPipConfig(PIP), certificates: undefined };
  expect(readPipConfig(pipConfigOf(settings))).toEqual(settings);
  expect(readUvConfig(uvConfigOf({ ...settings, strategy: 'first-index' }))).toEqual({
    ...settings,
    strategy: 'first-index',
  });
  const secret = { ...settings, default_index: 'https://clerk:k%2Fy@boats.test' };
  expect(secretsOf(secret)).toEqual(['clerk:k%2Fy', 'clerk:k/y', 'clerk', 'k%2Fy', 'k/y']);
  expect(secretsOf({ ...settings, default_index: 'https://t%2Fn:@boats.test' })).toEqual([
    't%2Fn:',
    't/n:',
    't%2Fn',
    't/n',
  ]);
});

test('when several places name an index, then uv comes before pip, and variables before files', async () => {
  const home = folder();
  await mkdir(join(home, '.config/pip'), { recursive: true });
  await mkdir(join(home, '.config/uv'), { recursive: true });
  await writeFile(
    join(home, '.config/pip/pip.conf'),
    '[global]\nindex-url = https://a.test\ncert = /c.pem\n',
  );
  const indexOf = async (variables: Record<string, string>) =>
    (await readOperatorSettings({ HOME: home, ...variables })).default_index;
  expect(await indexOf({})).toBe('https://a.test');
  expect(await indexOf({ PIP_INDEX_URL: 'https://b.test' })).toBe('https://b.test');
  await writeFile(join(home, '.config/uv/uv.toml'), 'index-url = "https://c.test"\n');
  expect(await indexOf({ PIP_INDEX_URL: 'https://b.test' })).toBe('https://c.test');
  expect(await indexOf({ UV_NO_CONFIG: '1' })).toBe('https://a.test');
  expect(await indexOf({ UV_DEFAULT_INDEX: 'https://d.test' })).toBe('https://d.test');
  const logins = { UV_INDEX_BOAT_YARD_USERNAME: 'clerk', UV_INDEX_BOAT_YARD_PASSWORD: 'k/y' };
  const named = await readOperatorSettings({ HOME: home, UV_INDEX: 'boat-yard=https://e.test', ...logins });
  expect(named.extra_indexes).toEqual(['https://clerk:k%2Fy@e.test/']);
  expect(await indexOf({ UV_DEFAULT_INDEX: 'boat-yard=https://e.test', ...logins })).toBe(
    'https://clerk:k%2Fy@e.test/',
  );
  const in_file = '[[index]]\nname = "boat-yard"\nurl = "https://e.test"\n';
  expect(readUvConfig(in_file, logins).extra_indexes).toEqual(named.extra_indexes);
  const all = await readOperatorSettings({ HOME: home, UV_INDEX: 'own=https://e.test https://f.test' });
  expect(all).toMatchObject({ extra_indexes: ['https://e.test', 'https://f.test'], certificates: '/c.pem' });
});

test('when variables of uv are about reaching an index, then a build gets them, and no others', () => {
  const passed = { UV_PYTHON_DOWNLOADS: 'never', UV_NATIVE_TLS: 'true' };
  expect(
    passedVariables({
      ...passed,
      UV_CACHE_DIR: '/x',
      UV_INDEX_BOATS_PASSWORD: 'x',
      UV_PUBLISH_TOKEN: 'y',
      UV_PYTHON: '3',
      UV_PYTHON_INSTALL_MIRROR: 'https://clerk:key@boats.test',
      UV_PYTHON_DOWNLOADS_JSON_URL: 'https://clerk:key@boats.test',
    }),
  ).toEqual(passed);
});
