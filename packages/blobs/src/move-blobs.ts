import type { Blobs } from './blobs.ts';

export interface MoveReport {
  readonly copied: number;
  /** Bytes of those that were copied. */
  readonly bytes: number;
  readonly removed: number;
  /** Digests of files that are not what their names say; they stay where they are. */
  readonly damaged: readonly string[];
}

export interface Move {
  readonly from: Blobs;
  readonly to: Blobs;
  /** Whether the old store loses what the new one has. */
  readonly removes: boolean;
  /** Which of them; all by default. */
  readonly listed?: AsyncGenerator<{ readonly digest: string }>;
  readonly onProgress?: (so_far: MoveReport) => void;
  /** Called for each that was removed since it was listed. */
  readonly onGone?: (digest: string) => void;
  readonly signal?: AbortSignal | undefined;
}

const AT_ONCE = 4;

/**
 * Copies all blobs from one store to another, while both are in use: a blob is whole in the new store before it is removed from
 * the old one. May be cut off and run again.
 */
export async function moveBlobs(move: Move): Promise<MoveReport> {
  const report = { copied: 0, bytes: 0, removed: 0, damaged: [] as string[] };
  const listed: AsyncIterable<{ readonly digest: string }> = move.listed ?? move.from.list();
  const work = async () => {
    for await (const { digest } of listed) {
      move.signal?.throwIfAborted();
      const outcome = await copyOne(move, digest);
      if (outcome === 'gone') move.onGone?.(digest);
      else if (outcome === 'damaged') report.damaged.push(digest);
      else if (outcome !== 'there') {
        report.copied += 1;
        report.bytes += outcome;
      }
      if (outcome !== 'damaged' && move.removes) {
        await move.from.delete(digest);
        report.removed += 1;
      }
      move.onProgress?.(report);
    }
  };
  // All workers share one listing; none is at work any more when this ends.
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, () => work()));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return report;
}

/** How many bytes were copied, or why none. */
async function copyOne(
  { from, to, signal }: Move,
  digest: string,
): Promise<number | 'there' | 'gone' | 'damaged'> {
  const there = await sizeOf(to, digest);
  const found = await from.get(digest);
  if (found === undefined) return there === undefined ? 'gone' : 'there';
  const { size, stream } = found;
  // A copy that another program made may be cut off.
  if (there === size) {
    await stream.cancel();
    return 'there';
  }
  const stored = await to.put(watched(stream, signal), { max_bytes: size });
  // Other bytes lie under their own digest now, which nothing names: retention removes them.
  return stored.digest === digest ? size : 'damaged';
}

/** The size of a blob, for which no more of it is read than a byte. */
async function sizeOf(blobs: Blobs, digest: string): Promise<number | undefined> {
  if (!(await blobs.has(digest))) return undefined;
  const found = await blobs.get(digest, { first: 0, last: 0 });
  await found?.stream.cancel();
  return found?.size;
}

async function* watched(bytes: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined) {
  for await (const chunk of bytes) {
    signal?.throwIfAborted();
    yield chunk;
  }
}
