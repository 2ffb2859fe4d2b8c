import type { Duplex, Writable } from 'node:stream';
import { TimeSlice } from '@roadstead/kit';

/** The names by which an engine marks what comes: the number in the first byte of each head. */
const NAMES = ['stdin', 'stdout', 'stderr'] as const;
const HEAD_BYTES = 8;

/**
 * Splits what a container prints, as an engine sends both outputs over one connection: each piece has a head of eight bytes,
 * with the output in the first and the length in the last four. No more is read than is taken,
 * and a little at a time: a program may print byte by byte.
 * @see https://docs.docker.com/reference/api/engine/ (attach, stream format)
 */
export async function demultiplex(
  from: Duplex,
  into: Readonly<Record<'stdout' | 'stderr', Writable>>,
): Promise<void> {
  let held: Buffer = Buffer.alloc(0);
  let left = 0;
  let name: (typeof NAMES)[number] = 'stdout';
  const write = async (piece: Buffer) => {
    const stream = name === 'stdin' ? undefined : into[name];
    if (stream === undefined || !stream.writable || stream.write(piece)) return;
    await new Promise<void>((resolve) => {
      const go = () => {
        stream.off('drain', go).off('close', go);
        resolve();
      };
      stream.on('drain', go).on('close', go);
    });
  };
  const slice = new TimeSlice();
  for await (const bytes of from) {
    held = held.length === 0 ? (bytes as Buffer) : Buffer.concat([held, bytes as Buffer]);
    while (held.length > 0) {
      if (left === 0) {
        if (held.length < HEAD_BYTES) break;
        name = NAMES[held[0] ?? 1] ?? 'stdout';
        left = held.readUInt32BE(4);
        held = held.subarray(HEAD_BYTES);
        continue;
      }
      const piece = held.subarray(0, left);
      left -= piece.length;
      held = held.subarray(piece.length);
      await write(piece);
      if (slice.isOver()) await slice.next();
    }
  }
}
