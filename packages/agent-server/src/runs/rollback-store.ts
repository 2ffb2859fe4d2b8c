import type { RunInterrupt } from '@roadstead/contracts/host';
import type { Database } from '@roadstead/postgres';
import type { RunRow } from './records.ts';
import { UNFINISHED } from './run-status-rules.ts';

/** Undoes runs with all that they wrote, at their own checkpoints and at others'. */

/** Ended runs whose traces are still to be removed. */
export async function listRolledBack(db: Database): Promise<Pick<RunRow, 'run_id' | 'thread_id'>[]> {
  return db.query(
    `select run_id, thread_id from runs where cancel ->> 'action' = 'rollback' and status not in (${UNFINISHED})
     order by created_at desc`,
  );
}

/** Deletes a run's checkpoints, with the channel values that no other checkpoint has. */
const rollBackSql = `
  with gone as (
    delete from checkpoints where thread_id = $1 and metadata ->> 'run_id' = $2
    returning checkpoint_ns, checkpoint -> 'channel_versions' as versions
  ), had as (
    select distinct checkpoint_ns, channel, version from gone, jsonb_each_text(versions) as v(channel, version)
  ), left_over as (
    select had.* from had except
    select checkpoint_ns, channel, version
    from checkpoints, jsonb_each_text(checkpoint -> 'channel_versions') as v(channel, version)
    where thread_id = $1 and metadata ->> 'run_id' is distinct from $2
  )
  delete from checkpoint_blobs b using left_over l
  where b.thread_id = $1 and b.checkpoint_ns = l.checkpoint_ns and b.channel = l.channel and b.version = l.version`;

/** The state that an answer replaced, kept with its run. `$answer` is the id of the message that brought it, if any. */
export const foundSql = (task: string, answer: string) => `
  jsonb_build_object('interrupts', (select t.interrupts from threads t where t.thread_id = ${task}.thread_id),
    'thread_status', (select t.status from threads t where t.thread_id = ${task}.thread_id),
    'status', ${task}.status, 'run_id', ${task}.run_id, 'history', jsonb_array_length(${task}.history),
    'artifacts', jsonb_array_length(${task}.artifacts), 'answer', ${answer})`;

const first = (column: 'history' | 'artifacts') => `
  (select coalesce(jsonb_agg(one order by at), '[]') from jsonb_array_elements(tasks.${column}) with ordinality as x(one, at)
   where at <= (gone.found ->> '${column}')::integer)`;

/** Asks the question of a task again that the run answered; the answer may then come once more. */
const giveBackSql = `
  with gone as (
    delete from runs where run_id = $1 and status not in (${UNFINISHED})
      and exists (select from engine where epoch = $2 for share)
    returning run_id, thread_id, task_id, found
  ), thread as (
    update threads set interrupts = gone.found -> 'interrupts', status = gone.found ->> 'thread_status', updated_at = now()
    from gone where threads.thread_id = gone.thread_id and gone.found is not null
  ), task as (
    update tasks set state = gone.found -> 'status' ->> 'state', status = gone.found -> 'status',
      status_at = (gone.found -> 'status' ->> 'at')::timestamptz, run_id = (gone.found ->> 'run_id')::uuid,
      history = ${first('history')}, artifacts = ${first('artifacts')}, updated_at = now(),
      -- Beyond the events of the run.
      seq = 1 + greatest(tasks.seq, (select coalesce(max(e.seq), 0) from run_events e where e.run_id = gone.run_id))
    from gone where tasks.task_id = gone.task_id and gone.found is not null
    returning tasks.task_id
  ), answer as (
    delete from task_answers a using gone
    where a.task_id = gone.task_id and a.message_id = gone.found ->> 'answer'
  )
  select gone.run_id, task.task_id from gone left join task on true`;

/**
 * Removes an ended run with all that it wrote, as if it had never been; once. Its end left its thread unchanged.
 * Answers the task that asks again, if there is one.
 */
export async function rollBack(
  db: Database,
  {
    run_id,
    thread_id,
    epoch,
  }: { readonly run_id: string; readonly thread_id: string; readonly epoch: number },
): Promise<string | undefined> {
  return db.transaction(async (tx) => {
    const gone = await tx.maybe<{ task_id: string | null }>(giveBackSql, [run_id, epoch]);
    if (gone === undefined) return undefined;
    await tx.run(
      `delete from checkpoint_writes w using checkpoints c where c.thread_id = $1 and c.metadata ->> 'run_id' = $2
         and w.thread_id = c.thread_id and w.checkpoint_ns = c.checkpoint_ns and w.checkpoint_id = c.checkpoint_id`,
      [thread_id, run_id],
    );
    // Answers, and the writes that followed from them, belong to the checkpoint that asked.
    await tx.run('delete from checkpoint_writes where thread_id = $1 and run_id = $2 and former is null', [
      thread_id,
      run_id,
    ]);
    await tx.run(
      `update checkpoint_writes set blob = former, type = former_type, former = null, former_type = null, run_id = null
       where thread_id = $1 and run_id = $2`,
      [thread_id, run_id],
    );
    await tx.run(rollBackSql, [thread_id, run_id]);
    await tx.run('delete from run_events where run_id = $1', [run_id]);
    return gone.task_id ?? undefined;
  });
}

/** The questions of a run's thread before the run answered. */
export async function listAskedBefore(db: Database, run_id: string): Promise<readonly RunInterrupt[]> {
  const row = await db.maybe<{ asked: readonly RunInterrupt[] | null }>(
    `select found -> 'interrupts' as asked from runs where run_id = $1`,
    [run_id],
  );
  return row?.asked ?? [];
}
