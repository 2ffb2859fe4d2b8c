import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BuildSlots } from './build-slots.ts';
import { BuildCache } from './build-cache.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'npm-cache-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function filled(bytes: number): Promise<string> {
  const cache = join(folder, 'npm');
  await mkdir(join(cache, '_cacache/content'), { recursive: true });
  for (const name of ['one', 'two'])
    await writeFile(join(cache, '_cacache/content', name), Buffer.alloc(bytes / 2));
  return cache;
}

test('a cache above its limit goes, one below it stays, and none is fine', async () => {
  const slots = new BuildSlots(1);
  const cache = await filled(1000);
  await new BuildCache(cache, slots, { max_bytes: 1000 }).trim();
  expect(await readdir(folder)).toEqual(['npm']);
  await new BuildCache(cache, slots, { max_bytes: 999 }).trim();
  expect(await readdir(folder)).toEqual([]);
  await new BuildCache(cache, slots, { max_bytes: 999 }).trim();
});

test('it is measured again after a build only', async () => {
  const slots = new BuildSlots(1);
  const cache = new BuildCache(await filled(1000), slots, { max_bytes: 1000 });
  await cache.trim();
  await filled(2000);
  await cache.trim();
  expect(await readdir(folder)).toEqual(['npm']);
  (await slots.take(AbortSignal.timeout(10_000)))[Symbol.dispose]();
  await cache.trim();
  expect(await readdir(folder)).toEqual([]);
});

test('a cache that a build uses stays, and what a killed process was removing goes', async () => {
  const slots = new BuildSlots(2);
  const cache = await filled(1000);
  await mkdir(`${cache}.gone/half`, { recursive: true });
  {
    using _slot = await slots.take(AbortSignal.timeout(10_000));
    await new BuildCache(cache, slots, { max_bytes: 1 }).trim();
    expect(await readdir(folder)).toEqual(['npm']);
  }
  await new BuildCache(cache, slots, { max_bytes: 1 }).trim();
  expect(await readdir(folder)).toEqual([]);
});
