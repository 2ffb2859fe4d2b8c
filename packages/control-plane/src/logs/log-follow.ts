import type { Database } from '@roadstead/postgres';
import type { LogWatch } from '../context/context.ts';
import { type LogPageQuery, readLogPage } from './log-page.ts';
import { lineId, type LineFilter, positionOf } from './log-rules.ts';
import type { ChunkOf } from './log-store.ts';

const AT_ONCE = 1000;
const LOOK_MS = 30_000;
/** No chunk has as many lines. */
const LAST_INDEX = 999_999;

export interface LogFollowQuery extends LineFilter {
  /** The line after which it begins. */
  readonly after: string | undefined;
  /** Without `after` and `start_time`: how many of the last lines come first. */
  readonly limit: number;
}

type Line = Awaited<ReturnType<typeof readLogPage>>['logs'][number];

/** Yields the lines of a log as they come, in order and once each, until the signal. */
export async function* followLog(
  {
    db,
    watch,
    signal,
  }: { readonly db: Database; readonly watch: Pick<LogWatch, 'open'>; readonly signal: AbortSignal },
  of: ChunkOf,
  { after, limit, ...filter }: LogFollowQuery,
): AsyncGenerator<Line> {
  using news = watch.open(of);
  let last = after;
  if (last === undefined && filter.start_time === undefined) {
    const { logs } = await readLogPage(db, of, { ...filter, limit, order: 'desc' });
    for (const line of logs.toReversed()) {
      yield line;
      last = line.id;
    }
  }
  while (!signal.aborted) {
    const seen = news.count();
    const scanned = news.newest();
    for (let more = true; more && !signal.aborted;) {
      const query: LogPageQuery = { ...filter, limit: AT_ONCE, offset: last, order: 'asc' };
      const { logs, next_offset } = await readLogPage(db, of, query);
      for (const line of logs) {
        yield line;
        last = line.id;
      }
      // The filter left nothing, and there is more to look through.
      more = next_offset !== null;
      last = next_offset ?? last;
    }
    // Chunks without a match are not looked through again.
    if (scanned > (positionOf(last)?.chunk_id ?? -1)) last = lineId({ chunk_id: scanned, index: LAST_INDEX });
    await news.wait(seen, { ms: LOOK_MS, signal });
  }
}

/** @throws Problem `invalid` for an id that no line has. */
export function lastLineOf(headers: Headers, offset: string | undefined): string | undefined {
  const id = headers.get('last-event-id');
  const position = positionOf(id === null || id === '' ? offset : id);
  return position === undefined ? undefined : lineId(position);
}
