import type { Database, Queryable } from '@roadstead/postgres';
import type { Digest } from '../digest/digest-loop.ts';
import { findMatchingRuns, type ScanBudget, usualBudget } from './matching-runs-work.ts';
import { pointsAtRuns } from './narrowing-rules.ts';
import { inLimitedTime } from './run-lookup-store.ts';
import { asksSearchRows, pageOf, type RunPage } from './run-query-rules.ts';
import { findNamedRuns, findRun, findSessionRuns, type FoundRun, type SearchOf } from './run-query-store.ts';
import { findTrace } from '../records/trace-store.ts';

/** The one way to a page of runs. */

export interface RunSearching {
  readonly db: Database;
  readonly digest: Pick<Digest, 'caughtUp'>;
  readonly budget?: ScanBudget;
}

export async function searchRuns(
  searching: RunSearching,
  of: SearchOf,
  { now_ms }: { readonly now_ms: number },
): Promise<RunPage<FoundRun>> {
  const { budget = usualBudget } = searching;
  const found = await look(searching, of, { finds: async (db) => find(db, of, { now_ms, budget }) });
  return pageOf(found, of.search);
}

/** Finds once all is digested that the conditions ask about, and not for longer than conditions may take. */
export async function look<T>(
  { db, digest }: RunSearching,
  { workspace_id, search: { asked } }: SearchOf,
  { finds }: { readonly finds: (db: Queryable) => Promise<T> },
): Promise<T> {
  const is_unfiltered = asked.run === undefined && asked.root === undefined && asked.tree === undefined;
  if (asksSearchRows(asked)) await digest.caughtUp(workspace_id);
  return is_unfiltered ? finds(db) : inLimitedTime(db, finds);
}

async function find(
  db: Queryable,
  of: SearchOf,
  { now_ms, budget }: { readonly now_ms: number; readonly budget: ScanBudget },
): Promise<FoundRun[]> {
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
      const is_narrow = search.filter.thread_id !== undefined || pointsAtRuns(asked.run);
      return asks && !is_narrow
        ? findMatchingRuns(db, of, { session_ids: by.ids, budget })
        : findSessionRuns(db, of, { session_ids: by.ids });
    }
  }
}
