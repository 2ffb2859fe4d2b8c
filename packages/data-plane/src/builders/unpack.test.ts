import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Header } from 'tar';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { unpackSource } from './unpack.ts';

interface Entry {
  readonly path: string;
  readonly type?: 'File' | 'Directory' | 'SymbolicLink' | 'Link' | 'CharacterDevice' | 'FIFO';
  readonly linkpath?: string;
  readonly text?: string;
  readonly mode?: number;
  readonly uid?: number;
  /** Instead of the text's length. */
  readonly size?: number;
}

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unpack-'));
});
// What was begun before a refusal may still be written.
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));

/** An archive as nobody's tool would write it. */
function archiveOf(entries: readonly Entry[]): Buffer {
  const blocks = entries.flatMap(
    ({ path, type = 'File', linkpath, text = '', size = text.length, mode = 0o644, uid }) => {
      const block = Buffer.alloc(512);
      const header = new Header({
        path,
        type,
        mode,
        size,
        ...(uid === undefined ? {} : { uid, gid: uid }),
        ...(linkpath === undefined ? {} : { linkpath }),
      });
      header.encode(block, 0);
      const body = Buffer.alloc(Math.ceil(text.length / 512) * 512);
      body.write(text);
      return [block, body];
    },
  );
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

async function unpack(bytes: Buffer, limits?: { entries: number; bytes: number }): Promise<string[]> {
  const archive = join(folder, 'source.tgz');
  const into = await mkdtemp(join(folder, 'into-'));
  await writeFile(archive, bytes);
  await unpackSource(archive, into, limits === undefined ? {} : { limits });
  return (await readdir(into, { recursive: true })).toSorted();
}

test('files and folders come out as they are, without stripping a leading folder', async () => {
  const archive = archiveOf([
    { path: 'app/', type: 'Directory' },
    { path: 'app/a..b.js', text: 'one' },
    { path: './package.json', text: '{}' },
  ]);
  expect(await unpack(archive)).toEqual(['app', 'app/a..b.js', 'package.json']);
});

test.each<[string, Entry, RegExp]>([
  ['traversal', { path: '../evil' }, /leave its folder/],
  ['traversal inside', { path: 'a/../../evil' }, /leave its folder/],
  ['traversal by backslashes', { path: '..\\evil' }, /leave its folder/],
  ['an absolute path', { path: '/tmp/evil' }, /leave its folder/],
  ['a drive', { path: 'C:/evil' }, /leave its folder/],
  ['a symbolic link', { path: 'link', type: 'SymbolicLink', linkpath: '/etc' }, /SymbolicLink/],
  ['a hard link', { path: 'link', type: 'Link', linkpath: '../../etc/passwd' }, /Link/],
  ['a device', { path: 'null', type: 'CharacterDevice' }, /CharacterDevice/],
  ['a pipe', { path: 'pipe', type: 'FIFO' }, /FIFO/],
])('%s is refused by name, and nothing is written outside', async (_name, entry, message) => {
  await writeFile(join(folder, 'canary'), 'alive');
  await expect(unpack(archiveOf([{ path: 'fine.js', text: 'x' }, entry]))).rejects.toThrow(message);
  expect(await readFile(join(folder, 'canary'), 'utf8')).toBe('alive');
  expect((await readdir(folder)).filter((name) => name.includes('evil'))).toEqual([]);
});

test('what would be written through a link stays unwritten', async () => {
  const archive = archiveOf([
    { path: 'out', type: 'SymbolicLink', linkpath: '..' },
    { path: 'out/evil', text: 'x' },
  ]);
  await expect(unpack(archive)).rejects.toThrow(/SymbolicLink/);
  expect((await readdir(folder)).filter((name) => name.includes('evil'))).toEqual([]);
});

test('too many entries are refused', async () => {
  const entries = Array.from({ length: 12 }, (_, index) => ({ path: `f${index}` }));
  await expect(unpack(archiveOf(entries), { entries: 10, bytes: 1000 })).rejects.toThrow(
    /more than 10 entries/,
  );
});

test('a bomb is refused by what it announces', async () => {
  const archive = archiveOf([{ path: 'bomb', size: 3_000_000_000 }]);
  await expect(unpack(archive)).rejects.toThrow(/unpacks to more than/);
});

test('what is no archive, and an empty one, are refused', async () => {
  await expect(unpack(Buffer.from('hello'))).rejects.toThrow(/not a readable gzip tar/);
  await expect(unpack(archiveOf([]))).rejects.toHaveProperty('kind', 'invalid');
});

test('files belong to us, whoever packed them', async () => {
  const path = join(folder, 'archive.tgz');
  await writeFile(path, archiveOf([{ path: 'theirs', text: 'x', mode: 0o600, uid: 501 }]));
  const into = await mkdtemp(join(folder, 'into-'));
  await unpackSource(path, into);
  expect((await stat(join(into, 'theirs'))).uid).toBe(process.getuid?.());
});

test('nothing more is read once something is refused', async () => {
  const path = join(folder, 'bomb.tgz');
  const gigabyte = 2 ** 30;
  await writeFile(
    path,
    archiveOf([
      { path: '../out', text: 'x' },
      { path: 'zeros', size: gigabyte },
    ]),
  );
  // The entry's bytes never come: who waits for them fails in other words.
  await expect(unpackSource(path, await mkdtemp(join(folder, 'into-')))).rejects.toThrow(
    'would leave its folder',
  );
});

test('a caller can give up', async () => {
  const path = join(folder, 'archive.tgz');
  await writeFile(path, archiveOf([{ path: 'one', text: 'x' }]));
  const into = await mkdtemp(join(folder, 'into-'));
  await expect(
    unpackSource(path, into, { signal: AbortSignal.abort(new Error('given up')) }),
  ).rejects.toThrow('given up');
});
