/** The rows of the pages that were read so far. */
export const rowsOf = <Row>({ pages }: { readonly pages: readonly (readonly Row[])[] }): readonly Row[] =>
  pages.flat();

interface EndlessQuery {
  readonly state: { readonly data?: { readonly pages: readonly unknown[] } | undefined };
}

/** Asks again in a while, as long as only the first page is there: further ones would all be asked again with it. */
export const whileOnePage =
  (every_ms: number) =>
  ({ state: { data } }: EndlessQuery): number | false =>
    data !== undefined && data.pages.length > 1 ? false : every_ms;

interface PageSize {
  /** How many rows a full page has. */
  readonly size: number;
  /** How many pages are asked for at once, once the first was full. */
  readonly at_once: number;
}

/** Reads a list to its end; a row that moved to a later page meanwhile comes once. */
export async function allRows<Row extends { readonly id: string }>(
  ask: (offset: number) => Promise<readonly Row[]>,
  { size, at_once }: PageSize,
): Promise<readonly Row[]> {
  let pages: readonly (readonly Row[])[] = [await ask(0)];
  const found = new Map<string, Row>();
  for (let offset = size; ; offset += at_once * size) {
    for (const row of pages.flat()) found.set(row.id, row);
    if (pages.some((page) => page.length < size)) return [...found.values()];
    pages = await Promise.all(Array.from({ length: at_once }, (_, page) => ask(offset + page * size)));
  }
}

interface CursorPage<Row> {
  readonly items: readonly Row[];
  readonly next_cursor: string | null;
}

/** The most that a page of such a list has. */
const CURSOR_PAGE = 100;

/** Reads a list whose pages name the next one: to its end, or until it has so many rows. */
export async function firstRows<Row>(
  most: number,
  ask: (page: { readonly page_size: number; readonly cursor?: string }) => Promise<CursorPage<Row>>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let next: { readonly cursor?: string } | undefined = {};
  while (next !== undefined && rows.length < most) {
    const { items, next_cursor }: CursorPage<Row> = await ask({ page_size: CURSOR_PAGE, ...next });
    rows.push(...items);
    next = next_cursor === null ? undefined : { cursor: next_cursor };
  }
  return rows.slice(0, most);
}
