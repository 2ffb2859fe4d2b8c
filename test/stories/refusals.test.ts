import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dataHome, freePort, runCommand } from '../support/platform.ts';

/** What keeps the platform from starting is one sentence that names it, and exit code 1; a password is never told. */
test.each<[string, Record<string, string>, RegExp]>([
  [
    'a file in the place of the data folder',
    { ROADSTEAD_DATA_DIR: '{home}/file' },
    /file is a file; ROADSTEAD_DATA_DIR must/,
  ],
  ['a folder that can’t be made', { ROADSTEAD_DATA_DIR: '{home}/file/below' }, /can not be made/],
  ['a port that is none', { PORT: 'abc' }, /PORT is not usable/],
  [
    'an address of another kind of database',
    { DATABASE_URL: 'mysql://me:pass-word@127.0.0.1/x' },
    /DATABASE_URL is not usable: it must look like postgresql/,
  ],
  [
    'a server that isn’t there',
    { DATABASE_URL: 'postgres://me:pass-word@127.0.0.1:1/x' },
    /server of DATABASE_URL can't be used: connect ECONNREFUSED/,
  ],
  [
    'a key that is too short',
    { ROADSTEAD_API_KEY: 'pass-word' },
    /ROADSTEAD_API_KEY is not usable: it needs 16/,
  ],
  ['an isolation that there is not', { ROADSTEAD_ISOLATION: 'walls' }, /ROADSTEAD_ISOLATION is not usable/],
])('when the platform starts with %s, then it refuses in one sentence', async (_what, given, sentence) => {
  await using home = await dataHome();
  await mkdir(join(home.path, 'data'));
  await writeFile(join(home.path, 'file'), '');
  const env = Object.fromEntries(
    Object.entries({ ROADSTEAD_DATA_DIR: '{home}/data', PORT: String(await freePort()), ...given }).map(
      ([name, value]) => [name, value.replace('{home}', home.path)],
    ),
  );
  const { code, stdout, stderr } = await runCommand(['up'], {
    PATH: process.env['PATH'],
    NO_COLOR: '1',
    ...env,
  });
  const said = stderr.split('\n').filter((line) => line.startsWith('roadstead:'));
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(sentence);
  expect(stdout + stderr).not.toMatch(/pass-word|\n\s+at /);
  expect(code).toBe(1);
});
