import { mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useFolderPerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { BuildCache } from './build-cache.ts';

const folder = useFolderPerTest('cache-');

const MEGABYTE = 1_048_576;
const path = (key: string) => join(folder(), 'builds', key);
const both = new Set(['w1', 'w2']);

/** An entry of 1 MB that was used last at this second. */
async function filled(key: string, used_s: number): Promise<void> {
  await mkdir(join(path(key), 'content'), { recursive: true });
  await writeFile(join(path(key), 'content/file'), Buffer.alloc(MEGABYTE, 1));
  await utimes(path(key), used_s, used_s);
}

const left = async () => {
  const owners = await readdir(path('.'));
  const keys = await Promise.all(
    owners.map(async (owner) => (await readdir(path(owner))).map((name) => `${owner}/${name}`)),
  );
  return keys.flat().toSorted();
};

const open = (megabytes: number) => new BuildCache(path('.'), { max_bytes: megabytes * MEGABYTE });

test('when the cache is too large, then what was used longest ago goes, and no more than has to', async () => {
  await filled('w1/npm', 30);
  await filled('w2/npm', 10);
  await filled('managers/pnpm-10.0.0', 20);
  await open(4).trim(both);
  expect(await left()).toEqual(['managers/pnpm-10.0.0', 'w1/npm', 'w2/npm']);
  await open(2.5).trim(both);
  expect(await left()).toEqual(['managers/pnpm-10.0.0', 'w1/npm']);
  await open(0).trim(both);
  expect(await left()).toEqual([]);
});

test('when there is too much, then the owner that holds most gives up first, even one just used', async () => {
  await filled('w1/a', 30);
  await filled('w1/b', 40);
  await filled('w1/c', 50);
  await filled('w2/npm', 10);
  await open(2.5).trim(both);
  expect(await left()).toEqual(['w1/c', 'w2/npm']);
});

test('when a build uses something, then it stays, and is the youngest once the build ends', async () => {
  await filled('w1/npm', 10);
  await filled('w2/npm', 20);
  const cache = open(1.5);
  const [one, other] = [cache.hold('w1', 'npm'), cache.hold('w1', 'npm')];
  await one[Symbol.asyncDispose]();
  await cache.trim(both);
  expect(await left()).toEqual(['w1/npm']);
  await other[Symbol.asyncDispose]();
  await filled('w2/npm', 20);
  await cache.trim(both);
  expect(await left()).toEqual(['w1/npm']);
});

test('when a build has changed something, then that is measured again', async () => {
  await filled('w1/npm', 10);
  await filled('w2/npm', 20);
  const cache = open(3.5);
  await cache.trim(both);
  {
    await using held = cache.hold('w2', 'npm');
    await writeFile(join(held.path, 'more'), Buffer.alloc(2 * MEGABYTE, 1));
  }
  await cache.trim(both);
  expect(await left()).toEqual(['w1/npm']);
});

test('when a workspace or a deployment is gone, then nothing of it is left in the cache', async () => {
  await filled('w1/npm', 10);
  await filled('w2/npm', 10);
  await filled('w1/bun.d1', 10);
  await filled('w1/bun.d2', 10);
  const cache = open(100);
  await cache.forget('d1');
  await cache.trim(new Set(['w1']));
  expect(await left()).toEqual(['w1/bun.d2', 'w1/npm']);
});

test('when a build outlives its deployment, then what it holds goes when the build ends', async () => {
  const cache = open(100);
  const held = cache.hold('w1', 'npm.d1');
  await filled('w1/npm.d1', 10);
  await cache.forget('d1');
  expect(await left()).toEqual(['w1/npm.d1']);
  await held[Symbol.asyncDispose]();
  expect(await left()).toEqual([]);
});

test('when a killed process left something half removed, then it goes; no cache is fine', async () => {
  await mkdir(join(`${path('.').replace(/\/$/, '')}.gone`, 'half'), { recursive: true });
  const cache = new BuildCache(join(folder(), 'builds'));
  await cache.trim(both);
  expect(await readdir(folder())).toEqual([]);
  await cache.forget('d');
  await expect(stat(cache.hold('w', 'npm').path)).rejects.toThrow('ENOENT');
});
