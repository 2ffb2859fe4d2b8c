import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
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
