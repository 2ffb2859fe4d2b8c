import { link, mkdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useFolderPerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { packFiles } from './pack.ts';
import { unpackSource } from './unpack.ts';

const folder = useFolderPerTest('pack-');

async function tree(files: Readonly<Record<string, string>>): Promise<string> {
  const root = join(folder(), 'tree');
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}

test('when files have many names, as package managers leave them, then they are packed as files', async () => {
  const root = await tree({ 'store/one.js': 'one', 'store/two.js': 'two' });
  const paths = ['store/one.js', 'store/two.js'];
  for (let at = 0; at < 200; at += 1) {
    await link(join(root, paths[at % 2] ?? ''), join(root, `linked-${at}.js`));
    paths.push(`linked-${at}.js`);
  }
  const archive = join(folder(), 'packed.tgz');
  await packFiles(archive, { folder: root, paths: paths.toSorted(), level: 1 });
  const into = join(folder(), 'into');
  await mkdir(into);
  // This refuses every kind of link.
  await unpackSource(archive, into);
  expect(await readFile(join(into, 'linked-7.js'), 'utf8')).toBe('two');
  expect((await stat(join(into, 'linked-8.js'))).nlink).toBe(1);
});

test('when its signal aborts, then packing ends, even in the middle of a file', async () => {
  const root = await tree({ 'one.js': 'one', 'endless.bin': '' });
  // A file that occupies no block on the disk, and takes longer than anybody could wait.
  await truncate(join(root, 'endless.bin'), 2 ** 42);
  const stop = new AbortController();
  const archive = join(folder(), 'packed.tgz');
  const packing = packFiles(archive, {
    folder: root,
    paths: ['endless.bin', 'one.js'],
    level: 1,
    signal: stop.signal,
  });
  const ended = packing.catch((error: unknown) => error);
  await expect.poll(async () => (await stat(archive).catch(() => undefined))?.size ?? 0).toBeGreaterThan(0);
  stop.abort(new Error('given up'));
  expect(await ended).toHaveProperty('message', 'given up');
});

test('when a file is gone by the time it is packed, then packing fails and does not wait', async () => {
  const root = await tree({ 'one.js': 'one' });
  const packing = packFiles(join(folder(), 'packed.tgz'), {
    folder: root,
    paths: ['one.js', 'gone.js'],
    level: 1,
  });
  await expect(packing).rejects.toMatchObject({ code: 'ENOENT' });
});
