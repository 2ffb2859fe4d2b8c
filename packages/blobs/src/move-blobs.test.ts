import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { useFolderPerTest } from '@roadstead/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Blobs, placeOf } from './blobs.ts';
import { openFolderBlobs } from './folder-blobs.ts';
import { withFormer } from './former-blobs.ts';
import { moveBlobs } from './move-blobs.ts';
import { blobsSuite } from './testing/blobs-suite.ts';

const folder = useFolderPerTest('move-');
let from: Blobs;
let to: Blobs;
let both: Blobs;
beforeEach(async () => {
  from = await openFolderBlobs(join(folder(), 'from'));
  to = await openFolderBlobs(join(folder(), 'to'));
  both = withFormer(to, from);
});

const put = async (blobs: Blobs, size = 1000) =>
  (await blobs.put(new Blob([randomBytes(size)]).stream(), { max_bytes: size })).digest;
const digests = async (blobs: Blobs) => (await Array.fromAsync(blobs.list())).map(({ digest }) => digest);

describe('in two places', () => {
  blobsSuite(() => both, { part_bytes: 100_000 });
});

it('when a blob lies in either place, then it is found, listed, and removed', async () => {
  const [old, recent] = [await put(from), await put(both)];
  expect([await to.has(recent), await from.has(recent)]).toEqual([true, false]);
  expect((await digests(both)).toSorted()).toEqual([old, recent].toSorted());
  for (const digest of [old, recent]) {
    expect([await both.has(digest), (await both.get(digest))?.size]).toEqual([true, 1000]);
    await both.delete(digest);
    expect([await from.has(digest), await to.has(digest), await both.get(digest)]).toEqual([
      false,
      false,
      undefined,
    ]);
  }
});

it('when all are moved while they are read, then each is always found', async () => {
  const all = await Promise.all(Array.from({ length: 60 }, () => put(from)));
  const moving = moveBlobs({ from, to, removes: true });
  let looks = 0;
  const reading = (async () => {
    for (let round = 0; round < 5; round += 1)
      for (const digest of all) {
        const found = await both.get(digest);
        if (found === undefined) throw new Error(`${digest} is in neither place.`);
        expect(await buffer(found.stream)).toHaveLength(1000);
        looks += 1;
      }
  })();
  await reading;
  expect(await moving).toEqual({ copied: 60, bytes: 60_000, removed: 60, damaged: [] });
  expect(looks).toBe(300);
  expect(await digests(from)).toEqual([]);
  expect((await digests(to)).toSorted()).toEqual(all.toSorted());
});

it('when a move is cut off, then the next one moves what is left', async () => {
  const all = await Promise.all(Array.from({ length: 20 }, () => put(from)));
  const stop = new AbortController();
  const cut = moveBlobs({
    from,
    to,
    removes: true,
    signal: stop.signal,
    onProgress: ({ copied }) => copied >= 7 && stop.abort(),
  });
  await expect(cut).rejects.toThrow('aborted');
  const there = await digests(to);
  expect(there.length).toBeLessThan(20);
  expect((await moveBlobs({ from, to, removes: true })).damaged).toEqual([]);
  expect(await digests(from)).toEqual([]);
  expect((await digests(to)).toSorted()).toEqual(all.toSorted());
});

it('when the new place has a blob, then the old one only loses it', async () => {
  const bytes = randomBytes(500);
  for (const blobs of [from, to]) await blobs.put(new Blob([bytes]).stream(), { max_bytes: 500 });
  expect(await moveBlobs({ from, to, removes: true })).toEqual({
    copied: 0,
    bytes: 0,
    removed: 1,
    damaged: [],
  });
  expect([await digests(from), (await digests(to)).length]).toEqual([[], 1]);
});

it('when another program copied a part of a blob, then it is copied whole before it goes', async () => {
  const digest = await put(from);
  await mkdir(dirname(join(folder(), 'to', placeOf(digest))), { recursive: true });
  await writeFile(join(folder(), 'to', placeOf(digest)), 'cut off');
  expect(await moveBlobs({ from, to, removes: true })).toMatchObject({ copied: 1, removed: 1 });
  expect((await to.get(digest))?.size).toBe(1000);
});

it('when a file is not what its name says, then it is told of, and stays', async () => {
  const digest = await put(from);
  await writeFile(join(folder(), 'from', placeOf(digest)), 'something else');
  expect(await moveBlobs({ from, to, removes: true })).toEqual({
    copied: 0,
    bytes: 0,
    removed: 0,
    damaged: [digest],
  });
  expect([await from.has(digest), await to.has(digest)]).toEqual([true, false]);
});

it('when blobs are only copied, then both places have them', async () => {
  const digest = await put(from);
  expect(await moveBlobs({ from, to, removes: false })).toMatchObject({ copied: 1, removed: 0 });
  expect(await moveBlobs({ from, to, removes: false })).toMatchObject({ copied: 0, removed: 0 });
  expect([await digests(from), await digests(to)]).toEqual([[digest], [digest]]);
});
