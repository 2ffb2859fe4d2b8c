import type { AttemptRef, Resumption, RunCommand } from '@roadstead/contracts/host';
import { isUuid, Problem } from '@roadstead/kit';
import type { Database, Queryable, Transaction } from '@roadstead/postgres';
import { readJson } from '../json/json-text.ts';
import type { CancelRecord, RunRow } from './records.ts';
import type { Run, RunKwargs } from './run.ts';
import { UNFINISHED } from './run-status-rules.ts';

/**
 * Plain reads of runs, and their rare writes. The statements that begin and end runs are in `begin-store.ts` and
 * `write-store.ts`.
 */

/** Raises the epoch: from here on all writes of earlier engines are refused. */
export async function takeEpoch(db: Database, signal?: AbortSignal): Promise<number> {
  signal?.throwIfAborted();
  return db.transaction(async (tx) => {
    const { epoch } = await tx.one<{ epoch: number }>('update engine set epoch = epoch + 1 returning epoch');
    // An engine that came after one that gave up keeps the database.
    signal?.throwIfAborted();
    return epoch;
  });
}

/**
 * Keeps other engines from taking over until the transaction ends.
 * @throws Problem `unavailable` where one has
 */
export async function holdEpoch(tx: Transaction, epoch: number): Promise<void> {
  if (!(await holdAttempt(tx, { ref: {}, epoch }))) throw replaced();
}

export const replaced = () =>
  new Problem('unavailable', 'Another process has taken this deployment over; try again.');

/** Whether this engine still has the database. */
export async function isCurrent(db: Queryable, epoch: number): Promise<boolean> {
  return (await db.run('select from engine where epoch = $1', [epoch])) === 1;
}

/** Columns that are as large as clients make them come as text, because the driver parses a value without a pause. */
const columns = `r.run_id, r.thread_id, r.task_id, r.assistant_id, r.graph_id, r.revision_id, r.principal,
  r.auth_user as "user", r.attempt, r.status, r.input::text, r.command::text, r.resume::text, r.kwargs::text, r.chunks, r.plain,
  r.wants_values as "values", r.metadata, r.multitask_strategy, r.not_before, r.cancel, r.traceparent, r.seq_before, r.error,
  r.created_at, r.updated_at`;

type StoredRun = Omit<RunRow, 'kwargs'> &
  Pick<Run, 'status' | 'error'> & {
    readonly input: string | null;
    readonly command: string | null;
    readonly resume: string | null;
    readonly kwargs: string;
    readonly updated_at: string;
  };

export async function findRun(db: Queryable, run_id: string): Promise<Run | undefined> {
  if (!isUuid(run_id)) return undefined;
  const row = await db.maybe<StoredRun>(`select ${columns} from runs r where r.run_id = $1`, [run_id]);
  return row && runOf(row);
}

/** Unfinished runs in the order of arrival. */
export async function listQueue(db: Database): Promise<RunRow[]> {
  const rows = await db.query<StoredRun>(
    `select ${columns} from queue q join runs r using (run_id) order by q.position`,
  );
  const runs: RunRow[] = [];
  for (const row of rows) runs.push(await queuedOf(row));
  return runs;
}

async function queuedOf({
  input,
  command,
  resume,
  error: _error,
  status: _status,
  updated_at: _updated_at,
  ...row
}: StoredRun): Promise<RunRow> {
  return {
    ...row,
    kwargs: await kwargsOf({ input, command, resume, kwargs: row.kwargs }),
  };
}

async function runOf(row: StoredRun): Promise<Run> {
  const { run_id, thread_id, task_id, assistant_id, graph_id, revision_id, attempt, status, principal } = row;
  const ids = { run_id, thread_id, task_id, assistant_id, graph_id, revision_id };
  return {
    ...ids,
    attempt,
    status,
    principal,
    metadata: row.metadata,
    multitask_strategy: row.multitask_strategy,
    error: row.error,
    kwargs: await kwargsOf(row),
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

async function kwargsOf({
  input,
  command,
  resume,
  kwargs,
}: Pick<StoredRun, 'input' | 'command' | 'resume' | 'kwargs'>): Promise<RunKwargs> {
  return {
    ...(await readJson<RunKwargs>(kwargs)),
    ...(input === null ? {} : { input: await readJson<unknown>(input) }),
    ...(command === null ? {} : { command: await readJson<RunCommand>(command) }),
    ...(resume === null ? {} : { resume: await readJson<Resumption>(resume) }),
  };
}

/** Whether the attempt has ended the run. */
export async function hasEnded(db: Queryable, { run_id, attempt }: AttemptRef): Promise<boolean> {
  const found = await db.run(
    `select from runs where run_id = $1 and attempt = $2 and status not in (${UNFINISHED})`,
    [run_id, attempt],
  );
  return found === 1;
}

/** How an unfinished run is to end at this attempt; undefined where there is none. */
export async function findCancel(
  db: Queryable,
  { run_id, attempt }: AttemptRef,
): Promise<CancelRecord | null | undefined> {
  const found = await db.maybe<{ cancel: CancelRecord | null }>(
    `select cancel from runs where run_id = $1 and attempt = $2 and status in (${UNFINISHED})`,
    [run_id, attempt],
  );
  return found?.cancel;
}

/** Whether the run is unfinished and, if an attempt is named, still at it. */
export async function isUnfinished(
  db: Queryable,
  { run_id, attempt }: { readonly run_id: string; readonly attempt?: number },
): Promise<boolean> {
  const found = await db.run(
    `select from runs where run_id = $1 and ($2::integer is null or attempt = $2) and status in (${UNFINISHED})`,
    [run_id, attempt ?? null],
  );
  return found === 1;
}

export interface NextAttempt {
  /** The run, with the attempt that has ended. */
  readonly run: Pick<RunRow, 'run_id' | 'attempt'>;
  readonly revision_id: string;
  readonly epoch: number;
}

/** Begins a new attempt on a revision; false when the run has ended, or another attempt has begun. */
export async function advanceAttempt(
  db: Database,
  { run, revision_id, epoch }: NextAttempt,
): Promise<boolean> {
  const touched = await db.run(
    `update runs set attempt = attempt + 1, revision_id = $3, status = 'pending', updated_at = now()
     where run_id = $1 and attempt = $2 and status in (${UNFINISHED}) and exists (select from engine where epoch = $4 for share)`,
    [run.run_id, run.attempt, revision_id, epoch],
  );
  return touched === 1;
}

/**
 * Stamps an attempt that no host has taken yet with the revision whose host will; false when it is not the present one.
 */
export async function stampRun(db: Database, { run, revision_id, epoch }: NextAttempt): Promise<boolean> {
  const touched = await db.run(
    `update runs set revision_id = $3 where run_id = $1 and attempt = $2 and status in (${UNFINISHED})
       and exists (select from engine where epoch = $4 for share)`,
    [run.run_id, run.attempt, revision_id, epoch],
  );
  return touched === 1;
}

/**
 * Records that a run is to end, and answers how; undefined when it has ended. The first of several requests counts, but
 * a rollback always outweighs an interrupt.
 */
export async function markCancelled(
  db: Database,
  {
    run_id,
    cancel,
    epoch,
  }: { readonly run_id: string; readonly cancel: CancelRecord; readonly epoch: number },
): Promise<CancelRecord | undefined> {
  const noted = await db.maybe<{ cancel: CancelRecord }>(
    `update runs set updated_at = now(), cancel = case
         when cancel is null or cancel ->> 'action' = 'interrupt' and $2::text::jsonb ->> 'action' = 'rollback'
         then $2::text::jsonb else cancel end
     where run_id = $1 and status in (${UNFINISHED}) and exists (select from engine where epoch = $3 for share)
     returning cancel`,
    [run_id, JSON.stringify(cancel), epoch],
  );
  return noted?.cancel;
}

export interface ThreadRow {
  readonly thread_id: string;
  readonly has_checkpoint: boolean;
  readonly interrupts: readonly { readonly id: string; readonly value: unknown }[];
}

export async function findThread(db: Queryable, thread_id: string): Promise<ThreadRow | undefined> {
  if (!isUuid(thread_id)) return undefined;
  return db.maybe<ThreadRow>(
    'select thread_id, has_checkpoint, interrupts from threads where thread_id = $1',
    [thread_id],
  );
}

/** Keeps an attempt the present one until the transaction ends; without a run, keeps the engine the present one. */
export async function holdAttempt(
  tx: Queryable,
  { ref, epoch }: { readonly ref: Partial<AttemptRef>; readonly epoch: number },
): Promise<boolean> {
  if ((await tx.run('select from engine where epoch = $1 for share', [epoch])) === 0) return false;
  if (ref.run_id === undefined) return true;
  const held = await tx.run(
    `select from runs where run_id = $1 and attempt = $2 and status in (${UNFINISHED}) for share`,
    [ref.run_id, ref.attempt],
  );
  return held === 1;
}
