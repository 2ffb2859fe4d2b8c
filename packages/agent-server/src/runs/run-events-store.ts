import type { Database } from '@roadstead/kit';
import { jsonParameter, readJson } from '../json-text.ts';
import type { RunEvent } from './run.ts';
import { leadingTo } from './run-status-rules.ts';

/** What runs told: some events a row, by the number of the last of them. */

export interface EventsOfRun {
  readonly run_id: string;
  readonly attempt: number;
  readonly events: readonly RunEvent[];
  /** The task that works from here on. */
  readonly task: {
    readonly task_id: string;
    readonly status: { readonly state: string; readonly at: string };
    readonly seq: number;
  } | null;
}

/**
 * What all runs of the engine told in a window, in one statement. The first of a run says that it is under way. False, and
 * nothing is written, where another engine has the database.
 */
export async function insertEvents(
  db: Database,
  { records, epoch }: { readonly records: readonly EventsOfRun[]; readonly epoch: number },
): Promise<boolean> {
  const rows = records.map(({ run_id, attempt, events, task }) => ({
    run_id,
    attempt,
    events,
    task_id: task?.task_id,
    status: task?.status,
    task_seq: task?.seq,
    seq: events.at(-1)?.seq,
    started: events.some((event) => event.kind === 'started'),
  }));
  const [answer] = await db.prepared<{ present: boolean }>(
    'stream',
    `with owner as (
       select from engine where epoch = $2 for share
     ), item as (
       select * from jsonb_to_recordset($1::text::jsonb) as x(run_id uuid, attempt integer, seq integer, events jsonb, started boolean,
         task_id uuid, status jsonb, task_seq integer)
       where exists (select from owner)
     ), event as (
       insert into run_events (run_id, seq, events) select run_id, seq, events from item on conflict do nothing
     ), run as (
       update runs set status = 'running', updated_at = now() from item
       where item.started and runs.run_id = item.run_id and runs.attempt = item.attempt and runs.status in (${leadingTo('running')})
     ), task as (
       update tasks set state = item.status ->> 'state', status = item.status, status_at = (item.status ->> 'at')::timestamptz,
         seq = item.task_seq, updated_at = now()
       from item where tasks.task_id = item.task_id and tasks.state = 'submitted'
     )
     select exists (select from owner) as present`,
    [await jsonParameter(rows), epoch],
  );
  return answer?.present === true;
}

/** Events after a sequence, in order; at least one row's worth where there are any, `limit` rows at most. */
export async function listEvents(
  db: Database,
  run_id: string,
  { after_seq, limit }: { readonly after_seq: number; readonly limit: number },
): Promise<RunEvent[]> {
  const rows = await db.prepared<{ events: string }>(
    'events',
    'select events::text from run_events where run_id = $1 and seq > $2 order by seq limit $3',
    [run_id, after_seq, limit],
  );
  const found: RunEvent[] = [];
  for (const { events } of rows)
    for (const event of await readJson<RunEvent[]>(events)) if (event.seq > after_seq) found.push(event);
  return found;
}

/** How a run ended; undefined where it has not, or its events are gone. */
export async function findEnd(
  db: Database,
  run_id: string,
): Promise<Extract<RunEvent, { kind: 'end' }> | undefined> {
  const [row] = await db.prepared<{ events: string }>(
    'end',
    'select events::text from run_events where run_id = $1 order by seq desc limit 1',
    [run_id],
  );
  const last = row && (await readJson<RunEvent[]>(row.events)).at(-1);
  return last?.kind === 'end' ? last : undefined;
}
