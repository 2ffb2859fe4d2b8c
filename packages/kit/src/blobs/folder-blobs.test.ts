import { mkdtempDisposable, readdir, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openFolderBlobs } from './folder-blobs.ts';

it('when a second instance opens, then it removes only what is abandoned', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'roadstead-blobs-'));
  const first = await openFolderBlobs(folder.path);
  const abandoned = join(folder.path, 'incoming', 'abandoned');
  await writeFile(abandoned, 'half');
  const long_ago = Date.now() / 1000 - 7200;
  await utimes(abandoned, long_ago, long_ago);
  const opened = Promise.withResolvers<void>();
  async function* slowly() {
    yield Buffer.from('one ');
    await openFolderBlobs(folder.path);
    expect((await readdir(join(folder.path, 'incoming'))).includes('abandoned')).toBe(false);
    opened.resolve();
    yield Buffer.from('two');
  }
  const { digest, size } = await first.put(slowly(), { max_bytes: 100 });
  await opened.promise;
  expect([size, await first.has(digest)]).toEqual([7, true]);
});
