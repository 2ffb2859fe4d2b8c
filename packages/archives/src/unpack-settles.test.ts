import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { useFolderPerTest } from '@roadstead/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { blocksOf, ends, type Entry, extended } from './testing/archive-of.ts';
import { unpackArtifact, unpackSource } from './unpack.ts';

/** Unpacking comes to an end for any archive: it is unpacked, or refused in words. */

const LIMIT_MS = 30_000;

const folder = useFolderPerTest('settles-');
// Writes that began before a refusal may still be under way.

/** How it ends: `unpacked`, the words of a refusal, or `never`, as it gets no signal of its own. */
async function endOf(bytes: Buffer, unpack: typeof unpackArtifact): Promise<string> {
  const archive = join(folder(), 'source.tgz');
  const into = await mkdtemp(join(folder(), 'into-'));
  await writeFile(archive, bytes);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, LIMIT_MS, 'never');
  });
  const ends_with = unpack(archive, into, { signal: new AbortController().signal }).then(
    () => 'unpacked',
    (error: Error) => error.message,
  );
  return await Promise.race([ends_with, late]).finally(() => clearTimeout(timer));
}

const a_folder: Entry = { path: 'folder/', type: 'Directory' };
const a_file: Entry = { path: 'file.js', text: 'x' };
const a_link: Entry = { path: 'link', type: 'SymbolicLink', linkpath: 'file.js' };
const pax = (text: string, type: Entry['type'] = 'ExtendedHeader'): Entry => {
  const length = text.length + 4;
  return { path: 'PaxHeader', type, text: `${length} ${text}\n` };
};
const a_long_name: Entry = {
  path: '././@LongLink',
  type: 'NextFileHasLongPath',
  text: `${'deep/'.repeat(40)}x.js\0`,
};
/** The mark of GNU tar for a file with holes. */
function sparse(): Buffer {
  const block = blocksOf([{ path: 'holes', text: '' }]);
  block.write('S', 156);
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}
const of = (...entries: readonly Entry[]) => Buffer.concat([blocksOf(entries), ends]);
const many = (count: number, make: (at: number) => Entry) =>
  Array.from({ length: count }, (_, at) => make(at));

describe.each<[string, Buffer, RegExp]>([
  ['no entries', ends, /holds nothing that can be read as tar/],
  ['nothing at all', Buffer.alloc(0), /The source archive/],
  ['one folder', of(a_folder), /^The source archive holds no file\.$/],
  ['the folder itself', of({ path: './', type: 'Directory' }), /holds no file/],
  ['folders in folders', of(a_folder, { path: 'folder/in/', type: 'Directory' }), /holds no file/],
  [
    'a path of 2,000 folders',
    of({ ...a_long_name, text: `${'d/'.repeat(2000)}x.js\0` }, a_file),
    /can not be unpacked: a path of it has too many folders, at or after its entry "d\/d\//,
  ],
  ['many folders', of(...many(3000, (at) => ({ path: `f${at}/`, type: 'Directory' }))), /holds no file/],
  ['a folder without the end of an archive', blocksOf([a_folder]), /holds no file/],
  ['a folder after a file', of(a_file, a_folder), /^unpacked$/],
  ['a file after a folder', of(a_folder, a_file), /^unpacked$/],
  ['empty files', of({ path: 'a' }, { path: 'b' }), /^unpacked$/],
  ['empty files and folders in turn', of({ path: 'a' }, a_folder, { path: 'b' }, a_folder), /^unpacked$/],
  ['links alone', of(a_link), /holds no file/],
  ['a link beside its file', of(a_link, a_file), /^unpacked$/],
  [
    'a link under the name of a file',
    of({ ...a_link, path: 'file.js', linkpath: 'a' }, a_file),
    /can not be made \(EEXIST\)/,
  ],
  ['hard links alone', of({ ...a_link, type: 'Link' }), /"link" is a hard link/],
  ['pax headers alone', of(pax('path=a')), /archive is empty\.$/],
  ['global pax headers alone', of(pax('comment=a', 'GlobalExtendedHeader')), /archive is empty\.$/],
  ['a pax header of one byte', of({ ...pax('path=a'), size: 1 }), /The source archive/],
  ['a long name alone', of(a_long_name), /archive is empty\.$/],
  ['a long name of a file', of(a_long_name, a_file), /^unpacked$/],
  ['a long name of a folder', of({ ...a_long_name, text: `${'deep/'.repeat(40)}\0` }, a_folder), /no file/],
  ['a file with holes', Buffer.concat([sparse(), ends]), /"holes" is a file with holes/],
  ['a file with holes, as pax has it', of({ path: 'GNUSparseFile.0/x', text: 'x' }), /file with holes/],
  ['a file that is cut off', of({ path: 'a', size: 5000, text: 'x' }), /damaged or cut off/],
  ['half a header', blocksOf([a_file]).subarray(0, 300), /The source archive/],
  ['a file of a name that is a folder', of(a_folder, { path: 'folder', text: 'x' }), /^unpacked$/],
  ['blocks of ones', Buffer.alloc(10_240, 1), /The source archive/],
])('when an archive holds %s', (_what, tar, ending) => {
  test('when it is unpacked as a source, then it is unpacked or refused in words', async () => {
    const how = await endOf(gzipSync(tar), unpackSource);
    expect(how).toMatch(ending);
  });

  test('when it is unpacked as an artifact, then that comes to an end', async () => {
    expect(await endOf(gzipSync(tar), unpackArtifact)).not.toBe('never');
  });

  test.each([1, 30])(
    'when its last %i bytes are missing, then unpacking comes to an end',
    async (missing) => {
      expect(await endOf(gzipSync(tar).subarray(0, -missing), unpackSource)).toMatch(/The (source )?archive/);
    },
  );
});

const anEntry = fc.constantFrom(
  blocksOf([a_folder]),
  blocksOf([a_file]),
  blocksOf([{ path: 'empty' }]),
  blocksOf([{ path: 'large', text: 'x'.repeat(200_000) }]),
  blocksOf([{ path: 'folder/below.js', text: 'y' }]),
  blocksOf([pax('path=renamed/file.js')]),
  blocksOf([pax('path=renamed/folder/')]),
  blocksOf([a_long_name]),
  extended(5000),
  sparse(),
  ends,
  Buffer.alloc(512, 7),
);

test('when an archive holds any entries in any order, then unpacking it comes to an end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anEntry, { maxLength: 8 }),
      fc.double({ min: 0.2, max: 1, noNaN: true }),
      async (parts, kept) => {
        const tar = Buffer.concat(parts);
        const bytes = gzipSync(kept > 0.5 ? tar : tar.subarray(0, Math.floor(tar.length * kept * 2)));
        const how = await endOf(bytes, unpackSource);
        expect(how).toMatch(/^unpacked$|^The (source )?archive/);
      },
    ),
    { numRuns: 150 },
  );
});

test('when bytes are no archive, then they are refused as such', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), fc.boolean(), async (bytes, compress) => {
      const how = await endOf(compress ? gzipSync(bytes) : Buffer.from(bytes), unpackSource);
      expect(how).toMatch(/The (source )?archive/);
    }),
    { numRuns: 100 },
  );
});
