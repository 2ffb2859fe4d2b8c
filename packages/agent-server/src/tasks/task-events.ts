import type { Database } from '@roadstead/postgres';
import type { Engine } from '../engine/engine.ts';
import { storedEvents } from '../runs/run-events-store.ts';
import type { Reader } from '../runs/run.ts';
import type { TaskChanges } from './task-changes.ts';
import { applyEvents, beginProgress, type Progress } from './task-fold.ts';
import { taskBeforeEvents } from './task-replay.ts';
import { listRunsOfTask, readTask, type RunOfTask } from './task-store.ts';
import { isTerminal, type TaskEvent } from './task.ts';

/**
 * The events of a task, derived from the events of its runs, from the first run on, since each continues from what the
 * one before left. An answer lies between two runs, and behind the last one the end of a task that was cancelled while
 * it asked; both are known from what is stored.
 */
export interface TaskEventsOptions {
  readonly db: Database;
  readonly engine: Pick<Engine, 'events' | 'reading'>;
  readonly changes: TaskChanges;
}

interface TaskReading {
  readonly task_id: string;
  readonly after_seq: number;
  readonly reader: Reader;
}

export async function* followTask(
  { db, engine, changes }: TaskEventsOptions,
  { task_id, after_seq, reader }: TaskReading,
): AsyncGenerator<TaskEvent> {
  using reading = engine.reading();
  const until = AbortSignal.any([reader.signal, reading.over]);
  let last = after_seq;
  let at: TaskPosition | undefined;
  while (!until.aborted) {
    // Watched first, read second: a change in between is seen by one of them.
    using change = changes.next(task_id, until);
    const { task } = await readTask(db, task_id);
    const runs = await listRunsOfTask(db, task_id);
    at ??= { progress: beginProgress(taskBeforeEvents(task)), seq_before: -1 };
    const read_to = at.seq_before;
    for (const run of runs.filter(({ seq_before }) => seq_before > read_to)) {
      for await (const { event, progress } of stepsOf(
        { db, engine },
        { run, progress: at.progress, reader: { ...reader, signal: until } },
      )) {
        at = { ...at, progress };
        if (event === undefined || event.seq <= after_seq) continue;
        last = event.seq;
        yield event;
        if (event.kind === 'status' && isTerminal(event.status.state)) return;
      }
      if (until.aborted) return;
      at = { ...at, seq_before: run.seq_before };
    }
    if (isTerminal(task.status.state)) {
      if (task.seq > last) yield { seq: task.seq, kind: 'status', status: task.status };
      return;
    }
    // A task that ended meanwhile may have done so in a run that is not listed above: the runs are listed again.
    const { task: now } = await readTask(db, task_id);
    if (isTerminal(now.status.state)) continue;
    await change.promise;
  }
}

/** How far the runs of a task are read: a run that is rolled back is no longer listed. */
interface TaskPosition {
  readonly progress: Progress;
  /** The `seq_before` of the last run that was read to its end. */
  readonly seq_before: number;
}

interface TaskStep {
  /** Undefined where the run's event means nothing to the task. */
  readonly event: TaskEvent | undefined;
  readonly progress: Progress;
}

async function* stepsOf(
  { db, engine }: Pick<TaskEventsOptions, 'db' | 'engine'>,
  {
    run,
    progress: before,
    reader,
  }: { readonly run: RunOfTask; readonly progress: Progress; readonly reader: Reader },
): AsyncGenerator<TaskStep> {
  let progress = before;
  if (run.seq_before > before.seq) {
    const status = { state: 'working', at: run.created_at } as const;
    progress = beginProgress({ ...before, status, seq: run.seq_before });
    yield { event: { seq: run.seq_before, kind: 'status', status }, progress };
  }
  const after_seq = progress.seq;
  // A run that has ended reports nothing more, even where its events are gone.
  const events = run.has_ended
    ? storedEvents(db, { run_id: run.run_id, after_seq })
    : engine.events(run.run_id, { ...reader, after_seq });
  for await (const event of events) {
    const change = applyEvents(progress, [event]);
    progress = change.progress;
    if (change.events.length === 0) yield { event: undefined, progress };
    for (const one of change.events) yield { event: one, progress };
  }
}
