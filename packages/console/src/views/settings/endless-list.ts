import { infiniteQueryOptions } from '@tanstack/react-query';

/** Lists that are read page by page, to their end. */

const MOST = 100;

interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
}

interface Call<Query> {
  readonly query: Query;
  readonly signal: AbortSignal;
}

type Key = readonly unknown[];
type AskCursor<Item> = (
  call: Call<{ readonly page_size: number; readonly cursor?: string }>,
) => Promise<ListPage<Item>>;

/** A list whose pages name the next one. */
export const cursorList = <Item>(key: Key, ask: AskCursor<Item>) =>
  infiniteQueryOptions({
    queryKey: key,
    queryFn: ({ pageParam, signal }) =>
      ask({ query: { page_size: MOST, ...(pageParam !== '' && { cursor: pageParam }) }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });

export type EndlessList<Item> = ReturnType<typeof cursorList<Item>>;

type AskOffset<Item> = (
  call: Call<{ readonly limit: number; readonly offset: number }>,
) => Promise<readonly Item[]>;

/** A list that is asked by where a page begins. */
export const offsetList = <Item>(key: Key, ask: AskOffset<Item>): EndlessList<Item> =>
  cursorList(key, async ({ query: { cursor = '0' }, signal }) => {
    const offset = Number(cursor);
    const items = await ask({ query: { limit: MOST, offset }, signal });
    return { items, next_cursor: items.length < MOST ? null : String(offset + MOST) };
  });
