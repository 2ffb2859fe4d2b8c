import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { useFolderPerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { chooseCompileCache } from './compile-cache.ts';

const folder = useFolderPerTest('compile-cache-');

/** A data folder whose data plane kept compiled code in it, and packages. */
async function usedDataFolder() {
  const data = join(folder(), 'data');
  const inside = join(data, 'cache/node');
  await mkdir(join(inside, 'v24'), { recursive: true });
  await writeFile(join(inside, 'v24/compiled'), 'code');
  await mkdir(join(data, 'cache/builds'));
  return { data, inside };
}

test('when our own compiled code can be shared, then it is, and the data folder has none', async () => {
  const { data } = await usedDataFolder();
  const own = join(folder(), 'shared/v24');
  await mkdir(own, { recursive: true });
  expect(await chooseCompileCache(data, own)).toBe(dirname(own));
  expect(await readdir(join(data, 'cache'))).toEqual(['builds']);
  expect(await chooseCompileCache(data, own)).toBe(dirname(own));
});

test.each(['shared', 'shared/v24'])(
  'when a file stands in place of the folder %s, then compiled code stays in the data',
  async (path) => {
    const { data, inside } = await usedDataFolder();
    await mkdir(dirname(join(folder(), path)), { recursive: true });
    await writeFile(join(folder(), path), '');
    expect(await chooseCompileCache(data, join(folder(), 'shared/v24'))).toBe(inside);
    expect(await readdir(join(inside, 'v24'))).toEqual(['compiled']);
  },
);

test('when this process keeps no compiled code, then the data plane does, in the data folder', async () => {
  const { data, inside } = await usedDataFolder();
  expect(await chooseCompileCache(data, undefined)).toBe(inside);
  expect(await readdir(join(inside, 'v24'))).toEqual(['compiled']);
});

test('when this process keeps its compiled code in the data folder, then that stays', async () => {
  const { data, inside } = await usedDataFolder();
  expect(await chooseCompileCache(data, join(inside, 'v24'))).toBe(inside);
  expect(await readdir(join(inside, 'v24'))).toEqual(['compiled']);
});
