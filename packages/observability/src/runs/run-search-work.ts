import type { Database, Queryable } from '@roadstead/kit';
import type { Digest } from '../digest/digest-loop.ts';
import { type Lookup, lookupOf } from '../filters/filter-lookup-rules.ts';
import { findIndexedRuns, hasCandidates, inLimitedTime, type Lookups } from './run-lookup-store.ts';
import { asksSearchRows, pageOf, type RunPage } from './run-query-rules.ts';
import {
  findNamedRuns,
  findRun,
  findSessionRuns,
  type FoundRun,
  hasSessionRuns,
  type SearchOf,
} from './run-query-store.ts';
import { findTrace } from './trace-store.ts';

/**
 * The one way to a page of runs. Where the filter language is asked of projects, the first runs in their order are looked
 * at one by one: mostly a page is full by then. If not, how rare the runs are that pass tells whether to look at more in
 * that order, or to ask the inverted indexes.
 */

export interface RunSearching {
  readonly db: Database;
  readonly digest: Pick<Digest, 'caughtUp'>;
}

export async function searchRuns(
  { db, digest }: RunSearching,
  of: SearchOf,
  { now_ms }: { readonly now_ms: number },
): Promise<RunPage<FoundRun>> {
  const { search, workspace_id } = of;
  const { run, root, tree } = search.asked;
  const asks_nothing = run === undefined && root === undefined && tree === undefined;
  if (asksSearchRows(search.asked)) await digest.caughtUp(workspace_id);
  const found = asks_nothing
    ? await find(db, of, now_ms)
    : await inLimitedTime(db, async (tx) => find(tx, of, now_ms));
  return pageOf(found, search);
}

async function find(db: Queryable, of: SearchOf, now_ms: number): Promise<FoundRun[]> {
  const { search, workspace_id } = of;
  const { by, asked } = search;
  switch (by.kind) {
    case 'ids':
    case 'examples':
      return findNamedRuns(db, of);
    case 'trace':
    case 'parent': {
      const trace_id =
        by.kind === 'trace'
          ? by.trace_id
          : (await findRun(db, { workspace_id, run_id: by.run_id, now_ms }))?.trace_id;
      const trace = trace_id === undefined ? undefined : await findTrace(db, { workspace_id, trace_id });
      return trace === undefined ? [] : findNamedRuns(db, of, { trace });
    }
    case 'sessions': {
      const asks = asked.run !== undefined || asked.root !== undefined || asked.tree !== undefined;
      return asks ? findAsked(db, of, by.ids) : findSessionRuns(db, of, { session_ids: by.ids });
    }
  }
}

/** So many runs are looked at first. */
const SCANNED = 1000;
/** Looking at so many in their order costs about as much as the indexes do; without their search rows it costs less. */
const MOST_SCANNED = { with_search_rows: 10_000, alone: 30_000 };
/** Of what an index names, so many are looked at first. */
const CANDIDATES = 1000;

async function findAsked(db: Queryable, of: SearchOf, session_ids: readonly string[]): Promise<FoundRun[]> {
  const { limit } = of.search;
  const scanned = Math.max(SCANNED, 2 * limit);
  const first = await findSessionRuns(db, of, { session_ids, scanned });
  if (first.length > limit) return first;
  if (!(await hasSessionRuns(db, of, { session_ids, count: scanned }))) return first;
  const enough = Math.ceil((1.5 * scanned * (limit + 1)) / Math.max(first.length, 1));
  const { with_search_rows, alone } = MOST_SCANNED;
  if (enough <= (asksSearchRows(of.search.asked) ? with_search_rows : alone)) {
    const more = await findSessionRuns(db, of, { session_ids, scanned: enough });
    if (more.length > limit) return more;
  }
  const lookups = lookupsOf(of);
  return lookups === undefined
    ? findSessionRuns(db, of, { session_ids })
    : findByIndex(db, of, { session_ids, lookups });
}

async function findByIndex(
  db: Queryable,
  of: SearchOf,
  asked: { readonly session_ids: readonly string[]; readonly lookups: Lookups },
): Promise<FoundRun[]> {
  const { limit } = of.search;
  const lookup = asked.lookups.run;
  const candidates = Math.max(CANDIDATES, 2 * limit);
  if (lookup === undefined) return findIndexedRuns(db, of, asked);
  const first = await findIndexedRuns(db, of, { ...asked, candidates });
  if (first.length > limit) return first;
  const has_more = await hasCandidates(db, of, { session_ids: asked.session_ids, lookup, count: candidates });
  return has_more ? findIndexedRuns(db, of, asked) : first;
}

function lookupsOf({ search }: SearchOf): Lookups | undefined {
  const { run, root, tree } = search.asked;
  const of = (condition: typeof run): Lookup | undefined => condition && lookupOf(condition);
  const traces = [of(root), of(tree)].filter((lookup) => lookup !== undefined);
  const lookups = { run: of(run), traces };
  return lookups.run === undefined && traces.length === 0 ? undefined : lookups;
}
