import { isUuid } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { readJson } from '../json/json-text.ts';
import type { Owner } from './task-engine.ts';
import type { Task, TaskStatus } from './task.ts';
import type { RunRow } from '../runs/records.ts';
import { foundSql } from '../runs/rollback-store.ts';
import { UNFINISHED } from '../runs/run-status-rules.ts';

/** Reads of tasks and contexts; the writes that begin, change and end tasks go with their runs. */

interface TaskPart {
  readonly task_id: string;
  readonly run_id: string;
  readonly digest: string | null;
  readonly context_id: string;
  readonly assistant_id: string;
  readonly seq: number;
  readonly part: 'status' | 'history' | 'artifacts';
  readonly text: string;
}

/** A task and its latest run. */
export interface StoredTask {
  readonly task: Task;
  readonly run_id: string;
  /** A digest of the content of the message that began it. */
  readonly digest: string | null;
}

/**
 * The rows of one task. Parts that are as large as clients or agents make them come as text, each in a row of its own,
 * because the driver parses a value and decodes a row without a pause.
 */
const tasksWhere = (condition: string) => `
  select task_id, run_id, digest, context_id, assistant_id, seq, part.part, part.text
  from tasks cross join lateral
    (values ('status', status::text), ('history', history::text), ('artifacts', artifacts::text)) as part(part, text)
  where ${condition}`;

async function storedTaskOf(rows: readonly TaskPart[]): Promise<StoredTask | undefined> {
  const [row] = rows;
  if (row === undefined) return undefined;
  const { task_id: id, run_id, digest, context_id, assistant_id, seq } = row;
  const read = <P extends TaskPart['part']>(part: P) =>
    readJson<Task[P]>(rows.find((one) => one.part === part)?.text ?? 'null');
  const [status, history, artifacts] = [await read('status'), await read('history'), await read('artifacts')];
  return { task: { id, context_id, assistant_id, status, history, artifacts, seq }, run_id, digest };
}

export async function findTask(
  db: Database,
  { owner, task_id }: { readonly owner: Owner; readonly task_id: string },
): Promise<StoredTask | undefined> {
  if (!isUuid(task_id)) return undefined;
  const own = 'task_id = $1 and principal = $2 and assistant_id = $3';
  const values = [task_id, owner.principal, owner.assistant_id];
  const rows =
    owner.within === undefined
      ? await db.prepared<TaskPart>('task', tasksWhere(own), values)
      : await db.prepared<TaskPart>('task_within', tasksWhere(`${own} and ${threadWithin('$4')}`), [
          ...values,
          JSON.stringify(owner.within),
        ]);
  return storedTaskOf(rows);
}

/**
 * A condition on a row of `tasks`: the metadata of its thread contains the JSON at the place. Never a join: threads are
 * many.
 */
export const threadWithin = (place: string) =>
  `(select t.metadata @> ${place}::text::jsonb from threads t where t.thread_id = tasks.thread_id)`;

export async function readTask(db: Database, task_id: string): Promise<StoredTask> {
  const found = await storedTaskOf(
    await db.prepared<TaskPart>('task_by_id', tasksWhere('task_id = $1'), [task_id]),
  );
  if (found === undefined) throw new Error(`There is no task ${task_id}.`);
  return found;
}

/** A message by the id that its sender gave it. */
interface MessageKey {
  readonly owner: Owner;
  readonly message_id: string;
}

/** The task that a message of this id began. */
export async function findTaskOfMessage(
  db: Database,
  { owner, message_id }: MessageKey,
): Promise<StoredTask | undefined> {
  const rows = await db.prepared<TaskPart>(
    'task_of_message',
    tasksWhere(`principal = $1 and assistant_id = $2 and context_key = '' and message_id = $3`),
    [owner.principal, owner.assistant_id, message_id],
  );
  return storedTaskOf(rows);
}

/** Whether an answer of this id went on with a task. */
export async function isAnswer(db: Database, { owner, message_id }: MessageKey): Promise<boolean> {
  const found = await db.run(
    'select from task_answers where principal = $1 and assistant_id = $2 and message_id = $3',
    [owner.principal, owner.assistant_id, message_id],
  );
  return found > 0;
}

export interface RunOfTask {
  readonly run_id: string;
  /** The number of the task's last event before it. */
  readonly seq_before: number;
  readonly has_ended: boolean;
  /** ISO 8601. */
  readonly created_at: string;
}

/** The runs of a task in their order. */
export async function listRunsOfTask(db: Database, task_id: string): Promise<RunOfTask[]> {
  return db.prepared<RunOfTask>(
    'runs_of_task',
    `select run_id, seq_before, status not in (${UNFINISHED}) as has_ended, created_at
     from runs where task_id = $1 order by seq_before, created_at`,
    [task_id],
  );
}

/** Ends a task that waits for an answer, together with the question of its thread; false where it no longer waits. */
export async function cancelWaiting(
  db: Database,
  { task, status, epoch }: { readonly task: Task; readonly status: TaskStatus; readonly epoch: number },
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const ended = await tx.maybe<{ thread_id: string }>(
      `update tasks set state = 'canceled', status = $2::text::jsonb, status_at = $3, seq = seq + 1, updated_at = now()
       where task_id = $1 and seq = $4 and state in ('input-required', 'auth-required') and exists (select from engine where epoch = $5 for share)
       returning thread_id`,
      [task.id, JSON.stringify(status), status.at, task.seq, epoch],
    );
    if (ended === undefined) return false;
    await tx.run(
      `update threads set interrupts = '[]', status = 'idle', updated_at = now() where thread_id = $1`,
      [ended.thread_id],
    );
    return true;
  });
}

/**
 * Continues a task that waits for an answer with a run of its thread that came another way: the run becomes the task's,
 * and reports what the task needs. Answers the id of the task, also where this was done before and the answer was lost.
 */
export async function continueTask(
  db: Database,
  { run, epoch }: { readonly run: Pick<RunRow, 'run_id' | 'thread_id'>; readonly epoch: number },
): Promise<string | undefined> {
  const row = await db.maybe<{ task_id: string }>(
    `with owner as (
       select from engine where epoch = $3 for share
     ), asking as (
       select k.task_id, ${foundSql('k', 'null')} as found from tasks k
       where k.thread_id = $2 and k.state in ('input-required', 'auth-required') order by k.status_at desc limit 1
     ), task as (
       update tasks set state = 'working', seq = seq + 1, run_id = $1, updated_at = now(), status_at = $4::text::timestamptz,
         status = jsonb_build_object('state', 'working', 'at', $4::text)
       from asking where tasks.task_id = asking.task_id and exists (select from owner)
       returning tasks.task_id, tasks.seq, asking.found
     ), thread as (
       update threads set interrupts = '[]', status = 'idle', updated_at = now() from task where threads.thread_id = $2
     ), run as (
       update runs set task_id = task.task_id, seq_before = task.seq, found = task.found, plain = true, updated_at = now() from task
       where runs.run_id = $1
     )
     select task_id from task union all select task_id from tasks where run_id = $1 and thread_id = $2`,
    [run.run_id, run.thread_id, epoch, new Date().toISOString()],
  );
  return row?.task_id;
}

/** A conversation's thread. */
export interface ContextRow {
  /** Whether its owner may see it. */
  readonly is_visible: boolean;
  /** Whether the context is new and adopts an existing thread by its id. */
  readonly is_adopted?: boolean;
  readonly thread_id: string;
  readonly has_checkpoint: boolean;
  readonly interrupts: readonly { readonly id: string; readonly value: unknown }[];
}

export async function findContext(
  db: Database,
  { owner, context_id }: { readonly owner: Owner; readonly context_id: string },
): Promise<ContextRow | undefined> {
  const [row] = await db.prepared<ContextRow>(
    'context',
    `select t.thread_id, t.has_checkpoint, t.interrupts, t.metadata @> $4::text::jsonb as is_visible
     from contexts c join threads t using (thread_id)
     where c.principal = $1 and c.assistant_id = $2 and c.context_id = $3`,
    [owner.principal, owner.assistant_id, context_id, JSON.stringify(owner.within ?? {})],
  );
  return row;
}

/**
 * The thread whose id a client sends as its context, where the owner may run this graph on it. `taken`: a thread of any
 * owner has that id.
 */
export async function findThreadForContext(
  db: Database,
  {
    thread_id,
    graph_id,
    within,
  }: { readonly thread_id: string; readonly graph_id: string; readonly within: object },
): Promise<{ readonly taken: boolean; readonly context?: ContextRow }> {
  const row = await db.maybe<Omit<ContextRow, 'is_visible'> & { fits: boolean }>(
    `select thread_id, has_checkpoint, interrupts, metadata @> $3::text::jsonb and not temporary
       and coalesce(graph_id, metadata ->> 'graph_id', $2) = $2 as fits
     from threads where thread_id = $1`,
    [thread_id, graph_id, JSON.stringify(within)],
  );
  if (row === undefined) return { taken: false };
  const { fits, ...context } = row;
  return fits
    ? { taken: true, context: { ...context, is_visible: true, is_adopted: true } }
    : { taken: true };
}

/** Whether a task asks something in a thread; its question may also be that of a run without a task. */
export async function hasWaitingTask(db: Database, thread_id: string): Promise<boolean> {
  const found = await db.run(
    `select from tasks where thread_id = $1 and state in ('input-required', 'auth-required') limit 1`,
    [thread_id],
  );
  return found > 0;
}
