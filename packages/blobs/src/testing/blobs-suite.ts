import { createHash, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { Blobs } from '../blobs.ts';

const digestOf = (content: Buffer) => `sha256:${createHash('sha256').update(content).digest('hex')}`;

async function* inPieces(content: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

const listed = async (blobs: Blobs) =>
  (await Array.fromAsync(blobs.list())).map(({ digest }) => digest).toSorted();

const read = async (blobs: Blobs, digest: string, range?: { first: number; last: number }) => {
  const found = await blobs.get(digest, range);
  return found && { size: found.size, content: await buffer(found.stream) };
};

interface Suite {
  /** The size of the pieces in which the store sends blobs on, if it does. */
  readonly part_bytes: number;
  /** Makes a blob one of long ago, where that can be done. */
  readonly age?: (digest: string) => Promise<void>;
}

/** What any store of blobs does. */
// oxlint-disable-next-line max-lines-per-function -- a suite
export function blobsSuite(open: () => Blobs, { part_bytes, age }: Suite): void {
  describe('put and get', () => {
    it.for([
      { size: 0, piece: 1 },
      { size: 1, piece: 1 },
      { size: part_bytes - 1, piece: 65_536 },
      { size: part_bytes, piece: 65_536 },
      { size: part_bytes, piece: part_bytes },
      { size: part_bytes + 1, piece: 100_003 },
      { size: 3 * part_bytes + 7, piece: 262_144 },
      { size: 2 * part_bytes + 1, piece: 2 * part_bytes + 1 },
    ])('when $size bytes come in pieces of $piece, then they are read as they were', async (sizes) => {
      const content = randomBytes(sizes.size);
      const blobs = open();
      const stored = await blobs.put(inPieces(content, sizes.piece), { max_bytes: sizes.size });
      expect(stored).toEqual({ digest: digestOf(content), size: sizes.size });
      expect(await read(blobs, stored.digest)).toEqual({ size: sizes.size, content });
    });

    it('when a range is asked for, then both of its ends are in it', async () => {
      const content = randomBytes(1000);
      const blobs = open();
      const { digest } = await blobs.put(inPieces(content, 300), { max_bytes: 1000 });
      for (const [first, last] of [
        [0, 0],
        [0, 999],
        [299, 300],
        [999, 999],
      ] as const)
        expect(await read(blobs, digest, { first, last })).toEqual({
          size: 1000,
          content: content.subarray(first, last + 1),
        });
    });

    it('when a stream is left in its middle, then others are read', async () => {
      const content = randomBytes(part_bytes + 1);
      const blobs = open();
      const { digest } = await blobs.put(inPieces(content, 65_536), { max_bytes: content.length });
      for (let left = 0; left < 5; left += 1) await (await blobs.get(digest))?.stream.cancel();
      expect((await read(blobs, digest))?.content.equals(content)).toBe(true);
    });
  });

  it('when more bytes come than are allowed, then nothing of them is kept', async () => {
    const blobs = open();
    const before = await listed(blobs);
    for (const size of [11, 2 * part_bytes + 1])
      await expect(
        blobs.put(inPieces(randomBytes(size), 65_536), { max_bytes: size - 1 }),
      ).rejects.toMatchObject({ name: 'Problem', kind: 'too_large' });
    expect(await listed(blobs)).toEqual(before);
  });

  it('when bytes break off, then nothing of them is kept', async () => {
    const blobs = open();
    const before = await listed(blobs);
    async function* breaking(size: number) {
      yield* inPieces(randomBytes(size), 65_536);
      throw new Error('the client is gone');
    }
    for (const size of [10, part_bytes + 1])
      await expect(blobs.put(breaking(size), { max_bytes: 4 * part_bytes })).rejects.toThrow(
        'the client is gone',
      );
    expect(await listed(blobs)).toEqual(before);
  });

  it('when bytes are stored again, then they are there once, with the time of the last', async () => {
    for (const size of [10, part_bytes + 1]) {
      const content = randomBytes(size);
      const blobs = open();
      const put = async () => blobs.put(inPieces(content, 65_536), { max_bytes: size });
      const { digest } = await put();
      const entries = async () =>
        (await Array.fromAsync(blobs.list())).filter((entry) => entry.digest === digest);
      await age?.(digest);
      await put();
      const again = await entries();
      expect(again).toHaveLength(1);
      expect(Math.abs(Date.now() - (again[0]?.put_at_ms ?? 0))).toBeLessThan(60_000);
    }
  });

  it('when several are stored at once, then each is there', async () => {
    const blobs = open();
    const contents = Array.from({ length: 12 }, () => randomBytes(1000));
    const puts = contents.map((content) => blobs.put(inPieces(content, 400), { max_bytes: 1000 }));
    const digests = (await Promise.all(puts)).map(({ digest }) => digest);
    expect(await listed(blobs)).toEqual(expect.arrayContaining(digests));
    expect(digests.toSorted()).toEqual(contents.map(digestOf).toSorted());
  });

  it('when a blob is removed, then it is gone, and removing it again is no error', async () => {
    const blobs = open();
    const { digest } = await blobs.put(inPieces(randomBytes(10), 10), { max_bytes: 10 });
    expect(await blobs.has(digest)).toBe(true);
    await blobs.delete(digest);
    await blobs.delete(digest);
    expect([await blobs.has(digest), await blobs.get(digest)]).toEqual([false, undefined]);
    expect(await listed(blobs)).not.toContain(digest);
  });

  it.for(['', 'sha256:../../etc/passwd', `sha256:${'A'.repeat(64)}`, `md5:${'a'.repeat(64)}`])(
    'when %j is asked for, then there is no such blob',
    async (text) => {
      const blobs = open();
      await blobs.delete(text);
      expect([await blobs.has(text), await blobs.get(text)]).toEqual([false, undefined]);
    },
  );

  it('when nothing is abandoned, then nothing is removed', async () => {
    const blobs = open();
    const going = Promise.withResolvers<void>();
    const content = randomBytes(2 * part_bytes + 1);
    async function* slowly() {
      yield content.subarray(0, part_bytes + 1);
      await blobs.removeAbandoned();
      going.resolve();
      yield content.subarray(part_bytes + 1);
    }
    const stored = await blobs.put(slowly(), { max_bytes: content.length });
    await going.promise;
    expect((await read(blobs, stored.digest))?.content.equals(content)).toBe(true);
  });
}
