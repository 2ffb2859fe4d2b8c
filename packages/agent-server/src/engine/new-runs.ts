import type { Database } from '@roadstead/postgres';
import type { RunTasks } from './engine-options.ts';
import { keepOpen, type LiveRun, liveRunOf } from '../runs/live-run.ts';
import type { BeginRecord, RunRow } from '../runs/records.ts';
import type { NewRun, Run } from '../runs/run.ts';
import { storedEvents } from '../runs/run-events-store.ts';
import { findThread } from '../runs/run-store.ts';
import { traceparentOf } from './trace-context-rules.ts';

/** Turns requests into records, and stored runs into live ones. */

export function beginRecordOf(
  request: NewRun,
  { run_id, revision_id }: { readonly run_id: string; readonly revision_id: string },
): BeginRecord {
  const { thread, task, assistant_id, graph_id, principal, user, kwargs, chunks, plain, values } = request;
  const now = Date.now();
  const not_before =
    request.after_ms === undefined || request.after_ms <= 0
      ? null
      : new Date(now + request.after_ms).toISOString();
  return {
    run: {
      run_id,
      thread_id: thread.thread_id,
      task_id: task?.projection.row.task_id ?? null,
      assistant_id,
      graph_id,
      revision_id,
      principal,
      kwargs,
      chunks,
      plain,
      values,
      user: user ?? null,
      attempt: 1,
      metadata: request.metadata,
      multitask_strategy: request.multitask_strategy,
      not_before,
      cancel: null,
      traceparent: traceparentOf(request.traceparent) ?? null,
      seq_before: task?.projection.row.seq ?? 0,
      created_at: new Date(now).toISOString(),
    },
    thread,
    task,
  };
}

/** A run that has just been committed. */
export function runOf(row: RunRow): Run {
  const { run_id, thread_id, task_id, assistant_id, graph_id, revision_id, attempt, principal } = row;
  const ids = { run_id, thread_id, task_id, assistant_id, graph_id, revision_id };
  return {
    ...ids,
    attempt,
    principal,
    status: 'pending',
    metadata: row.metadata,
    kwargs: row.kwargs,
    multitask_strategy: row.multitask_strategy,
    error: null,
    created_at: row.created_at,
    updated_at: row.created_at,
  };
}

/** A stored run as a live one, with the events that it reported before. */
export async function adoptedRun(
  row: RunRow,
  { db, tasks }: { readonly db: Database; readonly tasks: RunTasks },
): Promise<LiveRun> {
  const thread = await findThread(db, row.thread_id);
  const before = row.task_id === null ? undefined : await tasks.read(db, row);
  const run = liveRunOf(row, {
    has_checkpoint: thread?.has_checkpoint ?? true,
    task: before,
    is_adopted: true,
    may_be_interrupted: (thread?.interrupts.length ?? 0) > 0,
  });
  for await (const event of storedEvents(db, { run_id: row.run_id, after_seq: row.seq_before })) {
    run.seq = event.seq;
    run.task = run.task?.fold([event]);
    keepOpen(run.open, event);
  }
  return run;
}
