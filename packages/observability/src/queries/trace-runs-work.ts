import { MAX_RUNS_PER_TRACE } from '../records/run-operation.ts';
import type { RunOutline } from '../records/run-row.ts';
import { findTrace } from '../records/trace-store.ts';
import { pageOf, type RunPage, type RunSearch } from './run-query-rules.ts';
import {
  findNamedRuns,
  findOutlines,
  type FoundRun,
  listTraceRunIds,
  type SearchOf,
  type TracePartition,
} from './run-query-store.ts';
import { look, type RunSearching } from './run-search-work.ts';

/**
 * All runs of a trace, oldest first, page after page. No index knows their order, so whoever asks for a place in it reads
 * the whole trace: that is done twice at most, not once a page.
 */

/** So many whole rows at once, with payloads of any size beside them. */
const PAGE = 500;
/** Outlines are small, but not all need be in memory at once. */
const OUTLINES = MAX_RUNS_PER_TRACE / 2;

export async function* outlinePages(
  searching: RunSearching,
  of: SearchOf,
  { at_once = OUTLINES }: { readonly at_once?: number } = {},
): AsyncGenerator<readonly RunOutline[]> {
  const trace = await traceOf(searching, of);
  if (trace === undefined) return;
  let search: RunSearch | undefined = { ...of.search, limit: at_once };
  while (search !== undefined) {
    const asked: SearchOf = { ...of, search };
    const found = await look(searching, asked, { finds: async (db) => findOutlines(db, asked, trace) });
    const page: RunPage<RunOutline> = pageOf(found, search);
    yield page.rows;
    search = page.next && { ...search, cursor: page.next };
  }
}

export async function* traceRunPages(
  searching: RunSearching,
  of: SearchOf,
): AsyncGenerator<readonly FoundRun[]> {
  const trace = await traceOf(searching, of);
  if (trace === undefined) return;
  const ids = await look(searching, of, { finds: async (db) => listTraceRunIds(db, of, trace) });
  const { order } = of.search;
  for (let from = 0; from < ids.length; from += PAGE) {
    const by: RunSearch['by'] = { kind: 'ids', ids: ids.slice(from, from + PAGE) };
    const search = { by, filter: {}, asked: { parsed_query: null }, order, limit: PAGE, cursor: undefined };
    yield await findNamedRuns(searching.db, { ...of, search }, { trace });
  }
}

async function traceOf(
  { db }: RunSearching,
  { workspace_id, search: { by } }: SearchOf,
): Promise<TracePartition | undefined> {
  return by.kind === 'trace' ? findTrace(db, { workspace_id, trace_id: by.trace_id }) : undefined;
}
