import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { longestHold, MOST_HELD_MS } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { demultiplex } from './demultiplex.ts';

/** A piece of output as an engine sends it. */
function piece(kind: 1 | 2, what: string): Buffer {
  const body = Buffer.from(what);
  const head = Buffer.alloc(8);
  head[0] = kind;
  head.writeUInt32BE(body.length, 4);
  return Buffer.concat([head, body]);
}

const sent = Buffer.concat([
  piece(1, 'a line\n'),
  piece(2, 'a warning\n'),
  piece(1, ''),
  piece(1, 'ü'.repeat(40_000)),
  piece(2, 'the end'),
]);

test.each([1, 2, 7, 8, 9, 1000, sent.length])(
  'when output comes %i bytes at a time, then each stream has its own, whole',
  async (size) => {
    const from = new PassThrough();
    const into = { stdout: new PassThrough(), stderr: new PassThrough() };
    const read = Promise.all([text(into.stdout), text(into.stderr)]);
    const done = demultiplex(from, into);
    for (let at = 0; at < sent.length; at += size) from.write(sent.subarray(at, at + size));
    from.end();
    await done;
    into.stdout.end();
    into.stderr.end();
    expect(await read).toEqual([`a line\n${'ü'.repeat(40_000)}`, 'a warning\nthe end']);
  },
);

test('when a program prints byte by byte, then the event loop is not held', async () => {
  const BYTES = 400_000;
  const from = new PassThrough({ highWaterMark: 8_000_000 });
  const into = { stdout: new PassThrough(), stderr: new PassThrough() };
  const byte = piece(1, 'y');
  from.end(Buffer.concat(Array.from({ length: BYTES }, () => byte)));
  let count = 0;
  into.stdout.on('data', (bytes: Buffer) => (count += bytes.length));
  const held = await longestHold(() => demultiplex(from, into));
  into.stdout.end();
  expect(held).toBeLessThan(MOST_HELD_MS);
  await expect.poll(() => count).toBe(BYTES);
});
