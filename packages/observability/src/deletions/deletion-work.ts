import { uuidv7 } from '@roadstead/kit';
import type { Database, UnderLock, Transaction } from '@roadstead/postgres';
import { noteChanges } from '../records/change-store.ts';
import { deleteFeedbackOfTraces } from '../feedback/feedback-store.ts';
import { removeRuns } from '../records/run-removal-store.ts';
import type { DeletedTrace } from './deletion-row.ts';
import type { DeletionScope } from './deletion-rules.ts';
import {
  addRemoved,
  insertDeletion,
  leaveQueues,
  listRunsOf,
  markTraces,
  markTracesByAge,
  markTracesByMetadata,
  type NewDeletion,
  removeBareTraces,
  takeDeletedTraces,
} from './deletion-store.ts';
import type { InWorkspace } from '../values/keys.ts';

const RUNS_AT_ONCE = 2000;

/**
 * Hides the traces from all readers, and subtracts their roots from the sums of their projects.
 * @returns the deletion.
 */
export async function beginDeletion(
  db: Database,
  { workspace_id, scope }: InWorkspace & { readonly scope: DeletionScope },
): Promise<string> {
  const deletion_id = uuidv7();
  await db.transaction(async (tx) => {
    const deletion = { workspace_id, deletion_id };
    const marked = await mark(tx, deletion, scope);
    // Retention begins this deletion by itself: where nothing is old enough, nothing is recorded.
    if (scope.by === 'age' && marked.length === 0) return;
    await insertDeletion(tx, { ...deletion, traces: marked.length });
    const trace_ids = marked.map(({ trace_id }) => trace_id);
    await leaveQueues(tx, { workspace_id, trace_ids });
    const feedback = await deleteFeedbackOfTraces(tx, { workspace_id, trace_ids });
    await addRemoved(tx, { deletion_id, removed: { runs: 0, payloads: 0, attachments: 0, feedback } });
    await noteChanges(
      tx,
      marked.map(({ trace_id, ...place }) => ({ ...place, run_id: trace_id })),
    );
  });
  return deletion_id;
}

async function mark(tx: Transaction, deletion: NewDeletion, scope: DeletionScope) {
  if (scope.by === 'ids') return markTraces(tx, deletion, scope);
  if (scope.by === 'age') return markTracesByAge(tx, deletion, scope);
  return markTracesByMetadata(tx, deletion, scope);
}

/** One step of the removal of marked traces. @returns whether there was something to do. */
export async function removeSomeDeleted(db: Database): Promise<boolean> {
  return db.transaction(async (tx) => {
    const { traces, locked } = await takeDeletedTraces(tx, RUNS_AT_ONCE);
    if (traces.length > 0) await removeSomeOf(locked, traces);
    return traces.length > 0;
  });
}

/** Removes all of the traces at once: they are written to again. */
export async function removeWholly(tx: UnderLock<'traces'>, traces: readonly DeletedTrace[]): Promise<void> {
  while (!(await removeSomeOf(tx, traces)));
}

/** @returns whether all of them are gone. */
async function removeSomeOf(tx: UnderLock<'traces'>, traces: readonly DeletedTrace[]): Promise<boolean> {
  const runs = await listRunsOf(tx, { traces, limit: RUNS_AT_ONCE });
  for (const [deletion_id, ofDeletion] of Map.groupBy(runs, (run) => run.deletion_id))
    await addRemoved(tx, { deletion_id, removed: await removeRuns(tx, ofDeletion) });
  if (runs.length === RUNS_AT_ONCE) return false;
  await removeBareTraces(tx, traces);
  return true;
}
