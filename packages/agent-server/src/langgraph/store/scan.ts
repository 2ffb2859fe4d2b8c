import { Problem } from '@roadstead/kit';

const PART = 1000;
const MOST = 10_000;

/**
 * A page of what a caller may see, where only looking tells.
 * @throws Problem `invalid` where too much would have to be looked at
 */
export async function scanned<T>({
  find,
  isSeen,
  limit,
  offset,
}: {
  readonly find: (part: { readonly limit: number; readonly offset: number }) => Promise<readonly T[]>;
  readonly isSeen: (one: T) => boolean;
  readonly limit: number;
  readonly offset: number;
}): Promise<T[]> {
  const seen: T[] = [];
  for (let at = 0; at < MOST; at += PART) {
    const part = await find({ limit: PART, offset: at });
    seen.push(...part.filter(isSeen));
    if (seen.length >= offset + limit || part.length < PART) return seen.slice(offset, offset + limit);
  }
  throw new Problem(
    'invalid',
    `More than ${MOST} would have to be looked at: narrow the namespace or the filter.`,
  );
}
