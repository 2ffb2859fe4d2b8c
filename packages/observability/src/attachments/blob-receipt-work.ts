import type { Blobs, StoredBlob } from '@roadstead/blobs';
import { Problem } from '@roadstead/kit';

/** How many bytes are passed on at once. */
const PIECE_BYTES = 262_144;
const AT_ONCE = 8;

/**
 * Stores contents durably, and then does the work that commits `recordBlobs` with the rows that refer to them. The
 * collector may remove the same bytes while nothing refers to them: afterwards they are looked for, and stored again
 * if they are missing.
 * @throws Problem `unavailable` where they can't be stored.
 */
export async function withStoredBlobs<T>(
  { blobs, contents }: { readonly blobs: Blobs; readonly contents: readonly Uint8Array[] },
  work: (stored: readonly StoredBlob[]) => Promise<T>,
): Promise<T> {
  const stored = await inTurn(contents, (content) => put(blobs, content));
  const result = await work(stored);
  await inTurn(stored, async ({ digest }, index) => {
    const content = contents[index];
    // A store that is away now had them a moment ago; the work is committed.
    const isThere = await blobs.has(digest).catch(() => true);
    if (content !== undefined && !isThere) await put(blobs, content);
  });
  return result;
}

async function put(blobs: Blobs, content: Uint8Array): Promise<StoredBlob> {
  try {
    return await blobs.put(piecesOf(content), { max_bytes: content.length });
  } catch (cause) {
    throw new Problem('unavailable', 'An attachment can’t be stored now.', { cause, retry_after_s: 5 });
  }
}

async function* piecesOf(content: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < content.length; from += PIECE_BYTES)
    yield content.subarray(from, from + PIECE_BYTES);
}

/** Works on a few at once, and answers in the order of the items. */
async function inTurn<T, R>(items: readonly T[], work: (item: T, index: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const entries = items.entries();
  const one = async () => {
    for (const [index, item] of entries) results[index] = await work(item, index);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, one));
  return results;
}
