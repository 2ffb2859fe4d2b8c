import type { Queryable } from '@roadstead/postgres';
import { type Lookup, lookupOf } from '../filters/filter-lookup-rules.ts';
import type { Cursor } from './cursor-rules.ts';
import { findIndexedRuns, hasCandidates, type Lookups } from './run-lookup-store.ts';
import { asksSearchRows, placeBeyond, readingOrder } from './run-query-rules.ts';
import { findSessionRuns, findChunk, type FoundRun, type SearchOf } from './run-query-store.ts';

/**
 * Finds the first runs of projects that pass a filter, in the order of reading. Runs are examined in that order, one
 * by one: usually a page fills up soon. Otherwise the share that passes determines how many more to examine, or how
 * far the inverted indexes must look.
 */

/** How many runs each way of searching may examine. */
export interface ScanBudget {
  /** The first number of runs to examine. */
  readonly first: number;
  /** The number beyond which reading in order costs more than the indexes; lower where search rows are needed. */
  readonly most: { readonly with_search_rows: number; readonly alone: number };
  /** Where the indexes don't help: the number beyond which counting first is useless. */
  readonly counted: number;
  /** The number of runs from an index that are examined first. */
  readonly candidates: number;
}

export const usualBudget: ScanBudget = {
  first: 500,
  most: { with_search_rows: 2500, alone: 5000 },
  counted: 30_000,
  candidates: 1000,
};

interface ScanScope {
  readonly session_ids: readonly string[];
  readonly budget: ScanBudget;
}

export async function findMatchingRuns(
  db: Queryable,
  of: SearchOf,
  { session_ids, budget }: ScanScope,
): Promise<FoundRun[]> {
  const { asked, limit } = of.search;
  const found: FoundRun[] = [];
  const lookups = lookupsOf(of);
  const index_threshold = asksSearchRows(asked) ? budget.most.with_search_rows : budget.most.alone;
  const is_indexed = lookups?.run !== undefined && lookups.traces.length === 0;
  const most = is_indexed ? index_threshold : budget.counted;
  let rest = of;
  let began: Cursor | undefined;
  let looked_at = 0;
  let count = budget.first;
  while (looked_at + count <= most) {
    const chunk = await findChunk(db, rest, { session_ids, count });
    if (chunk === undefined) return found;
    const until = chunk.last;
    for (const run of await findSessionRuns(db, rest, { session_ids, until })) found.push(run);
    if (until === undefined || found.length > limit) return found;
    began ??= chunk.first;
    rest = restOf(of, until, found);
    looked_at += count;
    count = Math.ceil((1.3 * looked_at * (rest.search.limit + 1)) / Math.max(found.length, 1));
  }
  const more =
    lookups === undefined
      ? await findSessionRuns(db, rest, { session_ids })
      : await findByIndex(db, rest, { session_ids, budget, lookups, seen: { began, passed: found.length } });
  return [...found, ...more];
}

/** The rest of the search, beyond a place. */
const restOf = (of: SearchOf, place: Cursor, found: readonly FoundRun[]): SearchOf => ({
  ...of,
  search: {
    ...of.search,
    cursor: { ...place, is_back: of.search.cursor?.is_back },
    limit: of.search.limit - found.length,
  },
});

/** The range that was examined up to the cursor, and the number of runs that passed. */
interface ScanProgress {
  readonly began: Cursor | undefined;
  readonly passed: number;
}

/** The time span that should hold as many runs as are missing, and some more; undefined without any basis. */
function widthOf(
  { search: { cursor, limit } }: SearchOf,
  { began, passed }: ScanProgress,
): number | undefined {
  if (began === undefined || cursor === undefined || passed === 0) return undefined;
  const span_ms = Math.abs(Date.parse(began.start_time) - Date.parse(cursor.start_time));
  return (1.5 * Math.max(span_ms, 1) * (limit + 1)) / passed;
}

/** The number of queries on a limited span of time, before one over all time. */
const WINDOWS = 4;

async function findByIndex(
  db: Queryable,
  of: SearchOf,
  {
    session_ids,
    budget,
    lookups,
    seen,
  }: ScanScope & { readonly lookups: Lookups; readonly seen: ScanProgress },
): Promise<FoundRun[]> {
  const found: FoundRun[] = [];
  const order = readingOrder(of.search);
  let rest = of;
  for (let window = 0; window < WINDOWS && lookups.run !== undefined; window += 1) {
    const { cursor } = rest.search;
    const ms = widthOf(rest, { ...seen, passed: seen.passed + found.length });
    if (cursor === undefined || ms === undefined) break;
    const until = placeBeyond(cursor, { ms, order });
    // Conditions on traces are checked one by one: few runs are left, and the index would name every trace ever
    // stored.
    const asked = { session_ids, lookups: { run: lookups.run, traces: [] }, until };
    for (const run of await findIndexedRuns(db, rest, asked)) found.push(run);
    if (found.length > of.search.limit) return found;
    rest = restOf(of, until, found);
  }
  return [...found, ...(await findAllByIndex(db, rest, { session_ids, budget, lookups }))];
}

async function findAllByIndex(
  db: Queryable,
  of: SearchOf,
  { session_ids, budget, lookups }: ScanScope & { readonly lookups: Lookups },
): Promise<FoundRun[]> {
  const { limit } = of.search;
  const lookup = lookups.run;
  if (lookup === undefined) return findIndexedRuns(db, of, { session_ids, lookups });
  const candidates = Math.max(budget.candidates, 2 * limit);
  const first = await findIndexedRuns(db, of, { session_ids, lookups, candidates });
  if (first.length > limit) return first;
  const has_more = await hasCandidates(db, of, { session_ids, lookup, count: candidates });
  return has_more ? findIndexedRuns(db, of, { session_ids, lookups }) : first;
}

function lookupsOf({ search }: SearchOf): Lookups | undefined {
  const { run, root, tree } = search.asked;
  const of = (condition: typeof run): Lookup | undefined => condition && lookupOf(condition);
  const traces = [of(root), of(tree)].filter((lookup) => lookup !== undefined);
  const lookups = { run: of(run), traces };
  return lookups.run === undefined && traces.length === 0 ? undefined : lookups;
}
