import { mkdtemp, readdir, readFile, readlink, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { useFolderPerTest } from '@roadstead/testing';
import { Header } from 'tar';
import { expect, test } from 'vitest';
import { archiveOf, ends, type Entry, extended } from './testing/archive-of.ts';
import { unpackSource } from './unpack.ts';

const folder = useFolderPerTest('unpack-');
// Writes that began before a refusal may still be under way.

async function unpack(bytes: Buffer, limits?: { entries: number; bytes: number }): Promise<string[]> {
  const archive = join(folder(), 'source.tgz');
  const into = await mkdtemp(join(folder(), 'into-'));
  await writeFile(archive, bytes);
  await unpackSource(archive, into, limits === undefined ? {} : { limits });
  return (await readdir(into, { recursive: true })).toSorted();
}

test('when an archive is unpacked, then its paths stay as they are, a leading folder included', async () => {
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
  [
    'a hard link',
    { path: 'link', type: 'Link', linkpath: '../../etc/passwd' },
    /is a hard link; only files, folders and symbolic links between them are allowed\.$/,
  ],
  [
    'a link in too deep a folder',
    { path: `${'a/'.repeat(64)}link`, type: 'SymbolicLink', linkpath: 'x' },
    /more than 64 folders deep/,
  ],
  ['a device', { path: 'null', type: 'CharacterDevice' }, /CharacterDevice/],
  ['a pipe', { path: 'pipe', type: 'FIFO' }, /FIFO/],
])(
  'when an archive holds %s, then it is refused by name and nothing is written outside',
  async (_name, entry, message) => {
    await writeFile(join(folder(), 'canary'), 'alive');
    await expect(unpack(archiveOf([{ path: 'fine.js', text: 'x' }, entry]))).rejects.toThrow(message);
    expect(await readFile(join(folder(), 'canary'), 'utf8')).toBe('alive');
    expect((await readdir(folder())).filter((name) => name.includes('evil'))).toEqual([]);
  },
);

test('when an entry leads through a link, then the archive is refused and nothing is written', async () => {
  const archive = archiveOf([
    { path: 'out', type: 'SymbolicLink', linkpath: '..' },
    { path: 'out/evil', text: 'x' },
  ]);
  await expect(unpack(archive)).rejects.toThrow(/SymbolicLink/);
  expect((await readdir(folder())).filter((name) => name.includes('evil'))).toEqual([]);
});

test('when links lead to what the archive holds, then they are kept', async () => {
  const archive = archiveOf([
    { path: 'src/words.ts', type: 'SymbolicLink', linkpath: '../lib/words.ts' },
    { path: 'src/linked', type: 'SymbolicLink', linkpath: '../lib' },
    { path: 'lib/words.ts', text: 'words' },
    { path: 'lib/self', type: 'SymbolicLink', linkpath: '.' },
    { path: 'lib/later', type: 'SymbolicLink', linkpath: './made-by-the-build.js' },
  ]);
  await unpack(archive);
  const [into = ''] = (await readdir(folder())).filter((name) => name.startsWith('into-'));
  expect(await readFile(join(folder(), into, 'src/words.ts'), 'utf8')).toBe('words');
  expect(await readFile(join(folder(), into, 'src/linked/self/words.ts'), 'utf8')).toBe('words');
  expect(await readlink(join(folder(), into, 'src/linked'))).toBe('../lib');
});

const linkTo = (path: string, linkpath: string): Entry => ({ path, type: 'SymbolicLink', linkpath });

test.each<[string, readonly Entry[]]>([
  ['an absolute path', [linkTo('out', '/etc')]],
  ['a folder above', [linkTo('out', '..')]],
  ['a folder above, from deeper', [linkTo('a/b/out', '../../../x')]],
  ['a folder above, and back', [linkTo('out', '../into/x')]],
  ['a folder above, behind a name', [linkTo('a', 'deep/er'), linkTo('out', 'a/../../..')]],
  [
    'a folder above, behind another link',
    [
      { path: 'deep/er/x', text: '' },
      linkTo('b', 'deep/er'),
      linkTo('deep/up', '..'),
      linkTo('out', 'b/../up/../..'),
    ],
  ],
  [
    'what lies behind another link',
    [linkTo('a', 'deep'), { path: 'deep/x', text: '' }, linkTo('a/out', '../..')],
  ],
])('when a link leads to %s, then it is refused and nothing lies outside', async (_what, entries) => {
  await expect(unpack(archiveOf([{ path: 'fine.js', text: 'x' }, ...entries]))).rejects.toThrow(
    /is a SymbolicLink that leads out|can not be made/,
  );
});

test('when an archive has too many entries, then it is refused', async () => {
  const entries = Array.from({ length: 12 }, (_, index) => ({ path: `f${index}` }));
  await expect(unpack(archiveOf(entries), { entries: 10, bytes: 1000 })).rejects.toThrow(
    /more than 10 entries/,
  );
});

test('when an archive announces too many bytes, then it is refused', async () => {
  const archive = archiveOf([{ path: 'bomb', size: 3_000_000_000 }]);
  await expect(unpack(archive)).rejects.toThrow(/unpacks to more than/);
});

test('when an archive is empty, or is no archive, then it is refused', async () => {
  await expect(unpack(Buffer.from('hello'))).rejects.toThrow(/not a readable gzip tar/);
  await expect(unpack(archiveOf([]))).rejects.toHaveProperty('kind', 'invalid');
});

test('when somebody else packed a file, then it belongs to us once it is unpacked', async () => {
  const path = join(folder(), 'archive.tgz');
  await writeFile(path, archiveOf([{ path: 'theirs', text: 'x', mode: 0o600, uid: 501 }]));
  const into = await mkdtemp(join(folder(), 'into-'));
  await unpackSource(path, into);
  expect((await stat(join(into, 'theirs'))).uid).toBe(process.getuid?.());
});

test('when an entry is refused, then nothing more is read', async () => {
  const path = join(folder(), 'bomb.tgz');
  const gigabyte = 2 ** 30;
  await writeFile(
    path,
    archiveOf([
      { path: '../out', text: 'x' },
      { path: 'zeros', size: gigabyte },
    ]),
  );
  // The entry's bytes never come: waiting for them would fail with another message.
  await expect(unpackSource(path, await mkdtemp(join(folder(), 'into-')))).rejects.toThrow(
    'would leave its folder',
  );
});

test('when the caller gives up, then unpacking ends', async () => {
  const path = join(folder(), 'archive.tgz');
  await writeFile(path, archiveOf([{ path: 'one', text: 'x' }]));
  const into = await mkdtemp(join(folder(), 'into-'));
  await expect(
    unpackSource(path, into, { signal: AbortSignal.abort(new Error('given up')) }),
  ).rejects.toThrow('given up');
});

/** A signal that aborts after it has been checked this many times: it is checked before each piece of work. */
function abortedAtAsking(times: number): AbortSignal {
  const stop = new AbortController();
  let asked = 0;
  const throwIfAborted = () => {
    asked += 1;
    if (asked === times) stop.abort(new Error('given up'));
    AbortSignal.prototype.throwIfAborted.call(stop.signal);
  };
  return Object.assign(stop.signal, { throwIfAborted });
}

test.each([
  ['while links are made', 3, 2],
  ['while it is looked where links lead', 10, 8],
])('when the caller gives up %s, then unpacking ends', async (_when, at, made) => {
  const path = join(folder(), 'archive.tgz');
  const links = Array.from({ length: 8 }, (_, number): Entry => {
    return { path: `link${number}`, type: 'SymbolicLink', linkpath: 'one' };
  });
  await writeFile(path, archiveOf([{ path: 'one', text: 'x' }, ...links]));
  const into = await mkdtemp(join(folder(), 'into-'));
  await expect(unpackSource(path, into, { signal: abortedAtAsking(at) })).rejects.toThrow('given up');
  expect((await readdir(into)).filter((name) => name.startsWith('link'))).toHaveLength(made);
});

const fine = gunzipSync(archiveOf([{ path: 'fine.js', text: 'x' }])).subarray(0, 1024);

test.each<[string, () => Buffer]>([
  ['zeros after the end', () => gzipSync(Buffer.concat([fine, ends, Buffer.alloc(64_000_000)]))],
  [
    'zeros behind zeros, each compressed for itself',
    () =>
      Buffer.concat([gzipSync(fine), ...Array.from({ length: 64 }, () => gzipSync(Buffer.alloc(1_000_000)))]),
  ],
  [
    'an extended header that is larger than what it describes',
    () => gzipSync(Buffer.concat([extended(64_000_000), fine, ends])),
  ],
  [
    'many extended headers',
    () => gzipSync(Buffer.concat([...Array.from({ length: 64 }, () => extended(900_000)), fine, ends])),
  ],
])('when an archive holds %s, then it is refused for its overhead', async (_what, make) => {
  await expect(unpack(make())).rejects.toMatchObject({ kind: 'too_large', message: /headers, padding/ });
});

test('when names are long and records are padded, then neither counts as overhead', async () => {
  const path = `${'deep/'.repeat(40)}${'name'.repeat(40)}.js`;
  const pax = Buffer.from(`${path.length + 10} path=${path}\n`);
  const block = Buffer.alloc(512);
  new Header({ path: 'PaxHeader', type: 'ExtendedHeader', mode: 0o644, size: pax.length }).encode(block, 0);
  const body = Buffer.concat([pax, Buffer.alloc(512 - (pax.length % 512))]);
  const names = await unpack(gzipSync(Buffer.concat([block, body, fine, Buffer.alloc(10_240)])));
  expect(names).toContain(path);
});

test('when an archive is compressed twice, then it is refused, as the inner layer is not counted', async () => {
  await expect(unpack(gzipSync(archiveOf([{ path: 'fine.js', text: 'x'.repeat(2000) }])))).rejects.toThrow(
    /compressed twice/,
  );
});

test('when a header is damaged, then the archive is refused, and the entry is not passed over', async () => {
  const tar = Buffer.from(
    gunzipSync(
      archiveOf([
        { path: 'one.js', text: 'x' },
        { path: 'two.js', text: 'y' },
      ]),
    ),
  );
  tar[1024 + 3] = 0x41;
  await expect(unpack(gzipSync(tar))).rejects.toThrow(/damaged: a header .* after its entry "one.js"/);
});

test.each([
  ['cut off within a file', 600],
  ['cut off within its first header', 100],
])('when an archive is %s, then it is refused', async (_what, length) => {
  const tar = gunzipSync(archiveOf([{ path: 'one.js', text: 'x'.repeat(900) }])).subarray(0, length);
  await expect(unpack(gzipSync(tar))).rejects.toHaveProperty('kind', 'invalid');
});

test('when the file system does not take a name, then the archive is refused', async () => {
  const entries = [
    { path: 'one', text: 'x' },
    { path: 'one/two', text: 'y' },
  ];
  await expect(unpack(archiveOf(entries))).rejects.toThrow(/can not be unpacked \((ENOTDIR|EEXIST)\)/);
});
