import { Problem, receiverOf } from '@roadstead/kit';
import type { Database, Queryable } from '@roadstead/postgres';
import { jsonParameter } from '../json/json-text.ts';
import type { BeginRecord } from './records.ts';
import { foundSql } from './rollback-store.ts';
import type { NewRunTask } from './run.ts';

/**
 * The first of the two hot statements: it begins many runs in one commit. Every join is by primary key. The engine's
 * row is held meanwhile, so that an engine that takes over waits for the runs and finds them.
 */

const beginSql = `
  with items as (
    select * from jsonb_to_recordset($1::text::jsonb) as x(run_id uuid, thread_id uuid, task_id uuid, assistant_id uuid,
      graph_id text, revision_id uuid, principal text, auth_user jsonb, input jsonb, command jsonb, resume jsonb, kwargs jsonb,
      chunks boolean, plain boolean, wants_values boolean, metadata jsonb, multitask_strategy text, not_before timestamptz,
      traceparent text, webhook_receiver text, seq_before integer, created_at timestamptz,
      new_thread boolean, thread_metadata jsonb, temporary boolean,
      new_task boolean, new_context boolean, context_id text, message_id text, digest text, state text, status jsonb, history jsonb)
    where exists (select from engine where epoch = $2 for share)
  ), task as (
    insert into tasks (task_id, principal, assistant_id, context_id, thread_id, run_id, context_key, message_id, digest, state, status, status_at, history, artifacts, seq)
    select task_id, principal, assistant_id, context_id, thread_id, run_id, '', message_id, digest, state, status, (status ->> 'at')::timestamptz, history, '[]', seq_before
    from items where new_task and not exists (select from task_answers a
      where a.principal = items.principal and a.assistant_id = items.assistant_id and a.message_id = items.message_id)
    on conflict (principal, assistant_id, context_key, message_id) do nothing
    returning task_id
  ), new as (
    select items.* from items left join task using (task_id) where not items.new_task or task.task_id is not null
  ), thread as (
    insert into threads (thread_id, assistant_id, graph_id, metadata, temporary)
    select thread_id, assistant_id, graph_id, thread_metadata, temporary from new where new_thread
    on conflict (thread_id) do nothing
  ), context as (
    insert into contexts (principal, assistant_id, context_id, thread_id)
    select principal, assistant_id, context_id, thread_id from new where new_context
    on conflict do nothing
  ), run as (
    insert into runs (run_id, thread_id, task_id, assistant_id, graph_id, revision_id, principal, auth_user, attempt, status, input,
      command, resume, kwargs, chunks, plain, wants_values, metadata, multitask_strategy, not_before, traceparent, webhook_receiver, seq_before, created_at)
    select run_id, thread_id, task_id, assistant_id, graph_id, revision_id, principal, auth_user, 1, 'pending', input,
      command, resume, kwargs, chunks, plain, wants_values, metadata, multitask_strategy, not_before, traceparent, webhook_receiver, seq_before, created_at
    from new
  ), queued as (
    insert into queue (run_id) select run_id from new
  )
  select run_id from new`;

/** Answers the ids of the runs that were made; the others' messages are known already, or the epoch has passed. */
export async function commitBegins(
  db: Database,
  { items, epoch }: { readonly items: readonly BeginRecord[]; readonly epoch: number },
): Promise<Set<string>> {
  const rows = await db.prepared<{ run_id: string }>('begin', beginSql, [
    await jsonParameter(items.map(beginRow)),
    epoch,
  ]);
  return new Set(rows.map((row) => row.run_id));
}

function beginRow({ run, thread, task }: BeginRecord): object {
  const { user, values, cancel: _cancel, kwargs, attempt: _attempt, ...row } = run;
  const { input, command, resume, ...rest } = kwargs;
  return {
    ...row,
    input,
    command,
    resume,
    kwargs: rest,
    ...(rest.webhook === undefined ? {} : { webhook_receiver: receiverOf(rest.webhook) }),
    auth_user: user,
    wants_values: values,
    new_thread: thread.create !== undefined,
    thread_metadata: thread.create?.metadata ?? {},
    temporary: thread.create?.temporary === true,
    new_task: task?.begin !== undefined,
    new_context: task?.begin?.new_context === true,
    ...(task?.begin === undefined
      ? {}
      : {
          context_id: task.begin.context_id,
          message_id: task.begin.message_id,
          digest: task.begin.digest,
          state: task.projection.row.status.state,
          status: task.projection.row.status,
          history: task.projection.row.history,
        }),
  };
}

/**
 * Continues a waiting task with a new run, in one transaction, if the task still asks the question that the client saw.
 */
export async function commitResume(
  db: Database,
  { record, epoch }: { readonly record: BeginRecord; readonly epoch: number },
): Promise<boolean> {
  const { run, task } = record;
  if (task?.resume === undefined) throw new Problem('internal', 'This run resumes nothing.');
  const { resume } = task;
  const { status, history, seq } = task.projection.row;
  const written = [JSON.stringify(status), await jsonParameter(history)];
  return db.transaction(async (tx) => {
    const waits = await tx.maybe<{ found: string }>(
      `with was as (select ${foundSql('k', '$8::text')} as found from tasks k where k.task_id = $1)
       update tasks set state = $2::text::jsonb ->> 'state', status = $2::text::jsonb, status_at = ($2::text::jsonb ->> 'at')::timestamptz,
         history = $3::text::jsonb, seq = $4, run_id = $5, updated_at = now()
       where task_id = $1 and seq = $7 and state in ('input-required', 'auth-required') and exists (select from engine where epoch = $6 for share)
       returning (select found::text from was) as found`,
      [run.task_id, ...written, seq, run.run_id, epoch, resume.seen_seq, resume.message_id],
    );
    if (waits === undefined) return false;
    await takeAnswer(tx, run.task_id, resume);
    await tx.query(beginSql, [await jsonParameter([beginRow(record)]), epoch]);
    await tx.run('update runs set found = $2::text::jsonb where run_id = $1', [run.run_id, waits.found]);
    await tx.run(
      `update threads set interrupts = '[]', status = 'idle', updated_at = now() where thread_id = $1`,
      [run.thread_id],
    );
    return true;
  });
}

/** @throws Problem `invalid` where the answer's id was used for another message */
// oxlint-disable-next-line roadstead/two-positional -- the transaction, the task and its answer
async function takeAnswer(
  tx: Queryable,
  task_id: string | null,
  { owner, message_id }: NonNullable<NewRunTask['resume']>,
): Promise<void> {
  const taken = await tx.run(
    `insert into task_answers (principal, assistant_id, message_id, task_id)
     select $1, $2, $3, $4 where not exists (select from tasks
       where principal = $1 and assistant_id = $2 and context_key = '' and message_id = $3)
     on conflict do nothing`,
    [owner.principal, owner.assistant_id, message_id, task_id],
  );
  if (taken === 0) throw messageTaken();
}

/** The problem of an id that was used for another message. */
export function messageTaken(): Problem {
  return new Problem('invalid', 'Another message of this messageId was sent before; give each its own.', {
    code: 'message_id_taken',
  });
}
