import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useFolderPerTest } from '@roadstead/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Blobs, placeOf } from './blobs.ts';
import { openFolderBlobs } from './folder-blobs.ts';
import { blobsSuite } from './testing/blobs-suite.ts';

const folder = useFolderPerTest('blobs-');
let blobs: Blobs;
beforeEach(async () => {
  blobs = await openFolderBlobs(folder());
});

describe('in a folder', () => {
  const age = async (digest: string) => utimes(join(folder(), placeOf(digest)), 1000, 1000);
  blobsSuite(() => blobs, { part_bytes: 100_000, age });
});

it('when a process was killed while it received, then what it left is removed after an hour', async () => {
  const incoming = join(folder(), 'incoming');
  for (const name of ['abandoned', 'under-way']) await writeFile(join(incoming, name), 'half');
  const long_ago = Date.now() / 1000 - 3700;
  await utimes(join(incoming, 'abandoned'), long_ago, long_ago);
  await blobs.removeAbandoned();
  expect(await readdir(incoming)).toEqual(['under-way']);
});

it('when somebody asks where a folder can be read, then there is no such address', async () => {
  expect(await blobs.address(`sha256:${'0'.repeat(64)}`, { content_type: 'text/plain' })).toBeUndefined();
});
