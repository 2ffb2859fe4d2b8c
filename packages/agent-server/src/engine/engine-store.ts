import type { AttemptRef, Resumption } from '@roadstead/contracts/host';
import { type Database, isUuid, type Queryable } from '@roadstead/kit';
import type { Task, TaskEvent } from '../tasks/task.ts';
import type { Owner } from '../tasks/task-engine.ts';
import { jsonParameter, readJson, toJson } from '../json-text.ts';
import type { ResumeRecord, RunRow } from './records.ts';

/** The engine's plain reads and its rare writes. */

interface TaskRow {
  readonly task_id: string;
  readonly context_id: string;
  readonly assistant_id: string;
  readonly seq: number;
  readonly part: 'status' | 'history' | 'artifacts';
  readonly text: string;
}
/**
 * The rows of one task. What is as large as a client or an agent makes it comes as text, and each part as a row of its own,
 * because the driver parses a value and decodes a row without a pause.
 */
const tasksWhere = (condition: string) => `
  select task_id, context_id, assistant_id, seq, part.part, part.text
  from tasks cross join lateral
    (values ('status', status::text), ('history', history::text), ('artifacts', artifacts::text)) as part(part, text)
  where ${condition}`;

async function taskOf(rows: readonly TaskRow[]): Promise<Task | undefined> {
  const [row] = rows;
  if (row === undefined) return undefined;
  const { task_id: id, context_id, assistant_id, seq } = row;
  const read = <P extends TaskRow['part']>(part: P) =>
    readJson<Task[P]>(rows.find((one) => one.part === part)?.text ?? 'null');
  const [status, history, artifacts] = [await read('status'), await read('history'), await read('artifacts')];
  return { id, context_id, assistant_id, status, history, artifacts, seq };
}

/** Raises the epoch: from here on whatever an earlier engine still tries is refused. */
export async function takeEpoch(db: Database): Promise<number> {
  return (await db.one<{ epoch: number }>('update engine set epoch = epoch + 1 returning epoch')).epoch;
}

export async function findTask(
  db: Database,
  { owner, task_id }: { readonly owner: Owner; readonly task_id: string },
): Promise<Task | undefined> {
  if (!isUuid(task_id)) return undefined;
  const rows = await db.prepared<TaskRow>(
    'task',
    tasksWhere('task_id = $1 and principal = $2 and assistant_id = $3'),
    [task_id, owner.principal, owner.assistant_id],
  );
  return taskOf(rows);
}

export async function readTask(db: Database, task_id: string): Promise<Task> {
  const task = await taskOf(await db.query<TaskRow>(tasksWhere('task_id = $1'), [task_id]));
  if (task === undefined) throw new Error(`There is no task ${task_id}.`);
  return task;
}

export interface MessageKey {
  readonly owner: Owner;
  readonly context_key: string;
  readonly message_id: string;
}

export async function findTaskOfMessage(
  db: Database,
  { owner, context_key, message_id }: MessageKey,
): Promise<Task | undefined> {
  const rows = await db.prepared<TaskRow>(
    'task_of_message',
    tasksWhere('principal = $1 and assistant_id = $2 and context_key = $3 and message_id = $4'),
    [owner.principal, owner.assistant_id, context_key, message_id],
  );
  return taskOf(rows);
}

export interface ThreadRow {
  readonly thread_id: string;
  readonly has_checkpoint: boolean;
  readonly interrupts: readonly { readonly id: string; readonly value: unknown }[];
}

export async function findThread(
  db: Database,
  { owner, context_id }: { readonly owner: Owner; readonly context_id: string },
): Promise<ThreadRow | undefined> {
  const [row] = await db.prepared<ThreadRow>(
    'thread',
    `select t.thread_id, t.has_checkpoint, t.interrupts from contexts c join threads t using (thread_id)
     where c.principal = $1 and c.assistant_id = $2 and c.context_id = $3`,
    [owner.principal, owner.assistant_id, context_id],
  );
  return row;
}

export async function readThread(db: Queryable, thread_id: string): Promise<ThreadRow> {
  return db.one<ThreadRow>('select thread_id, has_checkpoint, interrupts from threads where thread_id = $1', [
    thread_id,
  ]);
}

export async function listEvents(
  db: Database,
  task_id: string,
  { after_seq, limit }: { readonly after_seq: number; readonly limit: number },
): Promise<TaskEvent[]> {
  const rows = await db.prepared<{ event: string }>(
    'events',
    'select event::text from task_events where task_id = $1 and seq > $2 order by seq limit $3',
    [task_id, after_seq, limit],
  );
  const events: TaskEvent[] = [];
  for (const { event } of rows) events.push(await readJson<TaskEvent>(event));
  return events;
}

/** Unfinished runs in the order of arrival. */
export async function listQueue(db: Database): Promise<RunRow[]> {
  const rows = await db.query<RunRow & { readonly input: string | null; readonly resume: string | null }>(
    `select r.run_id, r.thread_id, r.task_id, r.assistant_id, r.graph_id, r.revision_id, r.attempt, r.input::text, r.resume::text, r.chunks, r.metadata
     from queue q join runs r using (run_id) order by q.position`,
  );
  const runs: RunRow[] = [];
  for (const { input, resume, ...row } of rows)
    runs.push({
      ...row,
      input: input === null ? null : await readJson(input),
      resume: resume === null ? null : await readJson<Resumption>(resume),
    });
  return runs;
}

/** Whether the attempt has brought the run to its end. */
export async function hasEnded(db: Queryable, { run_id, attempt }: AttemptRef): Promise<boolean> {
  const found = await db.run(`select from runs where run_id = $1 and attempt = $2 and status <> 'pending'`, [
    run_id,
    attempt,
  ]);
  return found === 1;
}

export interface NextAttempt {
  /** With the attempt that has ended. */
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
    `update runs set attempt = attempt + 1, revision_id = $3
     where run_id = $1 and attempt = $2 and status = 'pending' and exists (select from engine where epoch = $4)`,
    [run.run_id, run.attempt, revision_id, epoch],
  );
  return touched === 1;
}

/** Stamps a run that no host has taken yet. */
export async function stampRun(
  db: Database,
  { run_id, revision_id }: Pick<RunRow, 'run_id' | 'revision_id'>,
): Promise<void> {
  await db.run(`update runs set revision_id = $2 where run_id = $1 and status = 'pending'`, [
    run_id,
    revision_id,
  ]);
}

/** The task goes on with a new run, if it still waits for the answer to what the client saw; one transaction. */
export async function insertResume(
  db: Database,
  { record, epoch }: { readonly record: ResumeRecord; readonly epoch: number },
): Promise<boolean> {
  const [history, resume] = [await jsonParameter(record.history), await jsonParameter(record.resume)];
  return db.transaction(async (tx) => {
    const waits = await tx.run(
      `update tasks set state = 'working', status = $2::text::jsonb, history = $3::text::jsonb, seq = $4, run_id = $5, updated_at = now()
       where task_id = $1 and seq = $7 and state in ('input-required', 'auth-required') and exists (select from engine where epoch = $6)`,
      [record.task_id, toJson(record.status), history, record.seq, record.run_id, epoch, record.seen_seq],
    );
    if (waits === 0) return false;
    await tx.run(
      `insert into runs (run_id, thread_id, task_id, assistant_id, graph_id, revision_id, attempt, status, resume, chunks, metadata)
       values ($1, $2, $3, $4, $5, $6, 1, 'pending', $7::text::jsonb, $8, $9::text::jsonb)`,
      [
        record.run_id,
        record.thread_id,
        record.task_id,
        record.assistant_id,
        record.graph_id,
        record.revision_id,
        resume,
        record.chunks,
        toJson(record.metadata),
      ],
    );
    await tx.run('insert into queue (run_id) values ($1)', [record.run_id]);
    await tx.run(`update threads set interrupts = '[]', updated_at = now() where thread_id = $1`, [
      record.thread_id,
    ]);
    await tx.run('insert into task_events (task_id, seq, event) values ($1, $2, $3::text::jsonb)', [
      record.task_id,
      record.seq,
      toJson({ seq: record.seq, kind: 'status', status: record.status }),
    ]);
    return true;
  });
}

export interface EventRecord {
  readonly task_id: string;
  readonly event: TaskEvent;
}

/** What all streams of the engine produced in a window, in one statement. */
export async function insertEvents(
  db: Database,
  { records, epoch }: { readonly records: readonly EventRecord[]; readonly epoch: number },
): Promise<void> {
  const newest = [...new Map(records.map((record) => [record.task_id, record])).values()];
  const statuses = records.filter((record) => record.event.kind === 'status');
  await db.prepared(
    'stream',
    `with event as (
       insert into task_events (task_id, seq, event)
       select task_id, seq, event from jsonb_to_recordset($1::text::jsonb) as x(task_id uuid, seq integer, event jsonb)
       where exists (select from engine where epoch = $4)
       on conflict do nothing
     ), status as (
       select * from jsonb_to_recordset($2::text::jsonb) as x(task_id uuid, status jsonb)
     ), newest as (
       select * from jsonb_to_recordset($3::text::jsonb) as x(task_id uuid, seq integer)
     )
     update tasks set seq = newest.seq, updated_at = now(),
       status = coalesce(status.status, tasks.status), state = coalesce(status.status ->> 'state', tasks.state)
     from newest left join status using (task_id)
     where tasks.task_id = newest.task_id and tasks.state in ('submitted', 'working')
       and exists (select from engine where epoch = $4)`,
    [
      await jsonParameter(records.map(({ task_id, event }) => ({ task_id, seq: event.seq, event }))),
      await jsonParameter([
        ...new Map(
          statuses.map(({ task_id, event }) => [
            task_id,
            { task_id, status: event.kind === 'status' ? event.status : null },
          ]),
        ).values(),
      ]),
      toJson(newest.map(({ task_id, event }) => ({ task_id, seq: event.seq }))),
      epoch,
    ],
  );
}
