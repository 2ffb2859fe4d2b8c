import { lstat, mkdir, mkdtemp, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findBinaries, linkLibraries } from './binaries.ts';
import { explainExit, ordinaryUser } from './server-process.ts';
import { isSuitableSocketPath } from './socket-folder.ts';

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'roadstead-parts-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe('the package of binaries', () => {
  test('when there is no PostgreSQL for a platform, then that is said in words', async () => {
    await expect(findBinaries('/nowhere', 'plan9-vax')).rejects.toThrow(
      'No PostgreSQL is installed for plan9-vax; set DATABASE_URL to the address of a PostgreSQL server.',
    );
  });

  async function newPackage(): Promise<string> {
    const root = await newFolder();
    await mkdir(join(root, 'native', 'lib'), { recursive: true });
    await writeFile(join(root, 'native', 'lib', 'libpq.so.5.18'), '');
    const links = ['native/lib/libpq.so', 'native/lib/libpq.so.5'].map((target) => ({
      source: 'native/lib/libpq.so.5.18',
      target,
    }));
    await writeFile(join(root, 'native', 'pg-symlinks.json'), JSON.stringify(links));
    return root;
  }

  test('when links are missing, then they are made, relative, once', async () => {
    const root = await newPackage();
    for (let round = 0; round < 2; round += 1) {
      expect(await linkLibraries(root, '/nowhere')).toEqual({});
      expect(await readlink(join(root, 'native', 'lib', 'libpq.so.5'))).toBe('libpq.so.5.18');
    }
  });

  test('when the package can’t be written to, then links are made elsewhere, each time the same', async () => {
    const root = await newPackage();
    const list = [{ source: 'native/lib/libpq.so.5.18', target: 'native/pg-symlinks.json/libpq.so.5' }];
    await writeFile(join(root, 'native', 'pg-symlinks.json'), JSON.stringify(list));
    const spare = join(root, 'spare');
    for (let round = 0; round < 2; round += 1) {
      expect(Object.values(await linkLibraries(root, spare))).toEqual([`${spare}:${root}/native/lib`]);
      expect(await readlink(join(spare, 'libpq.so.5'))).toBe(join(root, 'native', 'lib', 'libpq.so.5.18'));
    }
  });

  test('when a package has no list, then it needs no links', async () => {
    const root = await newFolder();
    expect(await linkLibraries(root, join(root, 'spare'))).toEqual({});
    await expect(lstat(join(root, 'spare'))).rejects.toThrow('ENOENT');
  });
});

test.each([
  ['/data/postgres/socket', true],
  [`/${'a'.repeat(88)}`, true],
  [`/${'a'.repeat(89)}`, false],
  [`/${'ä'.repeat(50)}`, false],
  ['/with space', true],
  ['/one,two', false],
  ['/"quoted"', false],
  ['@abstract', false],
])('when a socket is to lie in %s, then it can: %s', (folder, suitable) =>
  expect(isSuitableSocketPath(folder)).toBe(suitable),
);

test.each([
  ['root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh', 1000],
  ['root:x:0:0::/root:/bin/sh\ndaemon:x:1:1::/:/bin/false\nnobody:x:65534:65534::/:/bin/false\n', 1],
  ['', 1000],
])('when the users are %j, then the ordinary one is %i', (passwd, id) =>
  expect(ordinaryUser(passwd)).toBe(id),
);

test.each([
  {
    exit: { command: '/bin/initdb', code: 1, log: ['first', 'last'] },
    expected: 'It ended (1): first\nlast',
  },
  { exit: { command: '/bin/postgres', code: 'SIGKILL', log: [] }, expected: 'It ended (SIGKILL).' },
  {
    exit: { command: '/bin/postgres', code: 'ENOENT', log: [] },
    expected: '/bin/postgres cannot be run here (ENOENT); set DATABASE_URL instead.',
  },
  {
    exit: { command: 'unshare', code: 'ENOENT', log: [] },
    expected:
      'PostgreSQL does not run as root and "unshare" could not give it another user (ENOENT); ' +
      'start Roadstead as an ordinary user, or set DATABASE_URL.',
  },
  {
    exit: { command: 'unshare', code: 1, log: ['unshare: unshare failed: Operation not permitted'] },
    expected:
      'PostgreSQL does not run as root and "unshare" could not give it another user ' +
      '(unshare: unshare failed: Operation not permitted); start Roadstead as an ordinary user, or set DATABASE_URL.',
  },
])('when PostgreSQL ends, then that is said in words: $expected', ({ exit, expected }) =>
  expect(explainExit('It ended', exit).message).toBe(expected),
);
