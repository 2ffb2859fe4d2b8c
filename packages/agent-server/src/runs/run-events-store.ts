import type { Database } from '@roadstead/postgres';
import { jsonParameter, listParameter, readJson, toJson } from '../json/json-text.ts';
import { keyed } from '../database/keyed-plans.ts';
import type { RunEvent } from './run.ts';
import { leadingTo } from './run-status-rules.ts';
import { type StoredEvent, storedText, wholeEvents } from './stored-events.ts';

/** The events of runs: several in a row, which bears the number of the last. */

export interface EventsOfRun {
  readonly run_id: string;
  readonly attempt: number;
  readonly events: readonly RunEvent[];
  /** The task that is `working` from here on. */
  readonly task: {
    readonly task_id: string;
    readonly status: { readonly state: string; readonly at: string };
    readonly seq: number;
  } | null;
}

/**
 * Inserts the events of all runs of a window in one statement. The first event of a run marks it as under way. False,
 * and nothing is written, where another engine has the database.
 */
export async function insertEvents(
  db: Database,
  { records, epoch }: { readonly records: readonly EventsOfRun[]; readonly epoch: number },
): Promise<boolean> {
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
       where item.started and ${keyed('runs.run_id', 'item')} and runs.attempt = item.attempt and runs.status in (${leadingTo('running')})
     ), task as (
       update tasks set state = item.status ->> 'state', status = item.status, status_at = (item.status ->> 'at')::timestamptz,
         seq = item.task_seq, updated_at = now()
       from item where ${keyed('tasks.task_id', 'item')} and tasks.state = 'submitted'
     )
     select exists (select from owner) as present`,
    [await rowsParameter(records), epoch],
  );
  return answer?.present === true;
}

async function rowsParameter(records: readonly EventsOfRun[]): ReturnType<typeof jsonParameter> {
  const rows = records.map(({ run_id, attempt, events, task }) => ({
    run_id,
    attempt,
    task_id: task?.task_id,
    status: task?.status,
    task_seq: task?.seq,
    seq: events.at(-1)?.seq,
    started: events.some((event) => event.kind === 'started'),
  }));
  const texts: string[] = [];
  for (const [at, { events }] of records.entries()) {
    const told = events.map(storedText);
    if (told.includes(undefined))
      return jsonParameter(rows.map((row, index) => ({ ...row, events: records[index]?.events })));
    texts.push(`${toJson(rows[at]).slice(0, -1)},"events":[${told.join()}]}`);
  }
  return listParameter(texts);
}

/** How many of a run's events are read at once; a single larger row is read all the same. */
const PAGE = { rows: 16, bytes: 1_048_576 };

interface AfterEvent {
  readonly run_id: string;
  readonly after_seq: number;
}

/** A page of a run's events, in order. */
export interface EventPage {
  readonly events: readonly RunEvent[];
  /** Whether further events may be stored. */
  readonly has_more: boolean;
}

/** The events after a sequence: at least one row of them where there are any. Rows beyond the page are not read. */
export async function readEvents(db: Database, { run_id, after_seq }: AfterEvent): Promise<EventPage> {
  const rows = await db.prepared<{ events: string; size: number }>(
    'events',
    `with recursive page as (
       select seq, events, length(events) as size, 1 as count
       from (select seq, events::text from run_events where run_id = $1 and seq > $2 order by seq limit 1) as first
       union all
       select next.seq, next.events, page.size + length(next.events), page.count + 1
       from page cross join lateral (
         select seq, events::text from run_events where run_id = $1 and seq > page.seq order by seq limit 1
       ) as next
       where page.size < $3 and page.count < $4
     )
     select events, size from page order by seq`,
    [run_id, after_seq, PAGE.bytes, PAGE.rows],
  );
  const stored: StoredEvent[] = [];
  for (const row of rows)
    for (const event of await readJson<StoredEvent[]>(row.events))
      if (event.seq > after_seq) stored.push(event);
  const events = await wholeEvents(stored, (seq) => findEvent(db, { run_id, seq }));
  return { events, has_more: rows.length >= PAGE.rows || (rows.at(-1)?.size ?? 0) >= PAGE.bytes };
}

async function findEvent(
  db: Database,
  { run_id, seq }: { readonly run_id: string; readonly seq: number },
): Promise<StoredEvent | undefined> {
  const [row] = await db.prepared<{ events: string }>(
    'event',
    'select events::text from run_events where run_id = $1 and seq >= $2 order by seq limit 1',
    [run_id, seq],
  );
  return row && (await readJson<StoredEvent[]>(row.events)).find((event) => event.seq === seq);
}

/** All stored events after a sequence, read as they are asked for. */
export async function* storedEvents(
  db: Database,
  { run_id, after_seq }: AfterEvent,
): AsyncGenerator<RunEvent> {
  for (let last = after_seq; ;) {
    const { events, has_more } = await readEvents(db, { run_id, after_seq: last });
    yield* events;
    last = events.at(-1)?.seq ?? last;
    if (!has_more) return;
  }
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
