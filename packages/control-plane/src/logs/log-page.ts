import type { Queryable } from '@roadstead/postgres';
import {
  type LineFilter,
  lineId,
  linesAfter,
  type LogPosition,
  passes,
  type PlacedLine,
  positionOf,
} from './log-rules.ts';
import { type ChunkOf, listChunks, type StoredLine } from './log-store.ts';

/** The most that is looked through for one page; matches beyond it are for the next one. */
const MAX_PAGE_BYTES = 16_000_000;
/** No more lines than this come at once, however many are asked for. */
const MAX_LINES = 1_000_000;

export interface LogPageQuery extends LineFilter {
  readonly limit: number;
  /** The `next_offset` of the page before. */
  readonly offset?: string | undefined;
  readonly order?: 'asc' | 'desc' | undefined;
}

/** A page of the log of a deployment, or of one revision of it. */
export async function readLogPage(
  db: Queryable,
  of: ChunkOf,
  { limit, offset, order, ...filter }: LogPageQuery,
) {
  const want = { after: positionOf(offset), order: order ?? 'asc', limit, filter };
  const { lines, next } = await collect(db, of, want);
  return {
    logs: lines.map(({ position, line }) => ({
      id: lineId(position),
      timestamp: line.at,
      level: line.level,
      message: line.message,
    })),
    next_offset: next === undefined ? null : lineId(next),
  };
}

interface LineQuery {
  readonly after: LogPosition | undefined;
  readonly order: 'asc' | 'desc';
  readonly limit: number;
  readonly filter: LineFilter;
}

interface LineCollection {
  readonly lines: readonly PlacedLine<StoredLine>[];
  /** Set while there are lines, so that a follower can come back with it, and while there is more to look through. */
  readonly next: LogPosition | undefined;
}

async function collect(db: Queryable, of: ChunkOf, want: LineQuery): Promise<LineCollection> {
  const { order, limit, filter } = want;
  const isWanted = passes(filter);
  const lines: PlacedLine<StoredLine>[] = [];
  let { after } = want;
  // What the filter leaves out is only known afterwards: each time twice as much is looked through.
  let looked_at = limit;
  for (let bytes = 0; bytes < MAX_PAGE_BYTES;) {
    const { chunks, is_last } = await listChunks(db, of, {
      position: after,
      order,
      filter,
      lines: looked_at,
    });
    lines.push(...linesAfter(chunks, { after, order }).filter(({ line }) => isWanted(line)));
    const last = chunks.at(-1);
    if (lines.length >= limit || last === undefined || is_last) {
      const page = lines.slice(0, limit);
      return { lines: page, next: page.at(-1)?.position };
    }
    bytes += chunks.reduce((sum, chunk) => sum + chunk.bytes, 0);
    after = { chunk_id: last.id, index: order === 'asc' ? last.lines.length - 1 : 0 };
    looked_at = Math.min(2 * looked_at, MAX_LINES);
  }
  return { lines, next: after };
}
