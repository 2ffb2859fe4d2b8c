import { type Clock, Problem } from '@roadstead/kit';
import { inLimitedTime } from '../queries/run-lookup-store.ts';
import type { Cursor } from '../queries/cursor-rules.ts';
import type { RunSearch } from '../queries/run-query-rules.ts';
import { type FoundRun, findRun } from '../queries/run-query-store.ts';
import { searchRuns } from '../queries/run-search-work.ts';
import { listFeedback } from '../feedback/feedback-store.ts';
import type { PlacedFeedback } from '../records/feedback-row.ts';
import { listTurns } from '../threads/thread-store.ts';
import type { RunReader } from '../reading/run-reader-work.ts';
import { readShare } from '../shares/share-work.ts';
import { isShared, type SharedRuns } from './shared-runs-rules.ts';
import type { OffsetPage } from '../values/pages.ts';

/** @throws Problem `not_found` where the token, or its subject, does not exist any more. */
export async function readSharedRuns(
  { db, sharing }: RunReader,
  { token, clock }: { readonly token: string; readonly clock: Clock },
): Promise<SharedRuns> {
  const { workspace_id, subject } = await readShare(sharing, { token, kinds: ['run', 'thread'] });
  if (subject.kind === 'thread') {
    const { subject_id: session_id, thread_id } = subject;
    return { workspace_id, kind: 'thread', session_id, thread_id };
  }
  const root = await findRun(db, { workspace_id, run_id: subject.subject_id, now_ms: clock.now() });
  if (root === undefined) throw new Problem('not_found', 'The shared item no longer exists.');
  return { workspace_id, kind: 'run', trace_id: root.trace_id };
}

/** One run that the link shows; the trace's root where the caller names none. */
export async function readSharedRun(
  { db }: RunReader,
  shared: SharedRuns,
  { run_id, clock }: { readonly run_id: string | undefined; readonly clock: Clock },
): Promise<FoundRun> {
  const { workspace_id } = shared;
  const wanted = run_id ?? (shared.kind === 'run' ? shared.trace_id : undefined);
  const row =
    wanted === undefined
      ? undefined
      : await findRun(db, { workspace_id, run_id: wanted, now_ms: clock.now() });
  if (row === undefined || !isShared(shared, row))
    throw new Problem('not_found', 'There is no such run under this address.');
  return row;
}

/** A page of the runs that the link shows; with `ids`, only of those. */
export async function searchSharedRuns(
  reader: RunReader,
  shared: SharedRuns,
  {
    search,
    ids,
    clock,
  }: { readonly search: RunSearch; readonly ids: readonly string[] | undefined; readonly clock: Clock },
): Promise<{ readonly rows: readonly FoundRun[]; readonly last: Cursor | undefined }> {
  const by: RunSearch['by'] = ids === undefined ? search.by : { kind: 'ids', ids };
  const { workspace_id } = shared;
  const page = await searchRuns(reader, { workspace_id, search: { ...search, by } }, { now_ms: clock.now() });
  return { rows: page.rows.filter((row) => isShared(shared, row)), last: page.next };
}

/** All runs that the link shows, page after page. */
export async function* sharedRunPages(
  reader: RunReader,
  shared: SharedRuns,
  { search, clock }: { readonly search: RunSearch; readonly clock: Clock },
): AsyncGenerator<readonly FoundRun[]> {
  let { cursor } = search;
  do {
    const asked = { search: { ...search, cursor }, ids: undefined, clock };
    const { rows, last } = await searchSharedRuns(reader, shared, asked);
    yield rows;
    cursor = last;
  } while (cursor !== undefined);
}

/** The limit on turns of a thread. */
const MAX_TURNS = 1000;

/** The feedback on the runs that the link shows, newest first. */
export async function listSharedFeedback(
  { db, digest }: RunReader,
  shared: SharedRuns,
  query: OffsetPage & {
    readonly run?: readonly string[] | undefined;
    readonly key?: readonly string[] | undefined;
  },
): Promise<PlacedFeedback[]> {
  const { workspace_id } = shared;
  // Feedback knows its trace once its run is digested.
  await digest.caughtUp(workspace_id);
  const turns =
    shared.kind === 'run'
      ? []
      : await listTurns(db, { ...shared, asked: [] }, { ...shared, cursor: undefined, limit: MAX_TURNS });
  const trace_ids = shared.kind === 'run' ? [shared.trace_id] : turns.map((turn) => turn.trace_id);
  const filter = { workspace_id, trace_ids, run_ids: query.run, keys: query.key };
  return inLimitedTime(db, (tx) => listFeedback(tx, filter, query));
}
