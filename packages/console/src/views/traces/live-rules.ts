/** How a list is kept whole while new runs come to its top. */

interface Run {
  readonly id?: string | undefined;
}

interface RunPage<Row> {
  readonly items: readonly Row[];
  readonly next_cursor?: string | null | undefined;
}

export interface NewestRuns<Row> {
  readonly rows: readonly Row[];
  /** Whether more came than were read: between these and the known ones some are missing. */
  readonly has_gap: boolean;
}

/** So many pages are read at once for what came since. */
export const MOST_PAGES = 5;

/** Reads the newest runs, page by page, until one comes that is known; only the first page where none are known yet. */
export async function readNewest<Row extends Run>(
  ask: (cursor: string | undefined) => Promise<RunPage<Row>>,
  known: ReadonlySet<string | undefined> | undefined,
): Promise<NewestRuns<Row>> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { items, next_cursor } = await ask(cursor);
    rows.push(...items);
    if (known === undefined || next_cursor == null || items.some(({ id }) => known.has(id)))
      return { rows, has_gap: false };
    cursor = next_cursor;
  }
  return { rows, has_gap: true };
}

/** Newest first, each once, as it was last heard of. */
export function mergedRuns<Row extends Run>(newest: readonly Row[], known: readonly Row[]): readonly Row[] {
  if (newest.length === 0) return known;
  const ids = new Set(newest.map(({ id }) => id));
  return [...newest, ...known.filter(({ id }) => !ids.has(id))];
}
