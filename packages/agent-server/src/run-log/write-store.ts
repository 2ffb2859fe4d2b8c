import type { AttemptRef } from '@roadstead/contracts/host';
import { BytePieces, type Database } from '@roadstead/postgres';
import type { PutWithBlobs, WritesWithBlobs } from '../checkpoints/checkpoint-store.ts';
import { jsonParameter } from '../json/json-text.ts';
import { keyed } from '../database/keyed-plans.ts';
import type { FinishRecord } from '../runs/records.ts';
import { UNFINISHED } from '../runs/run-status-rules.ts';

/**
 * The second of the two hot statements: it writes what many runs produced, and their ends, in one commit. Rows come as
 * JSON and as columns, all bytes as one value that the server cuts up: as an array they would be sent as hexadecimal
 * text. Every join is by primary key (`keyed`).
 */

const insertWrites = `insert into checkpoint_writes
      (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, blob, run_id)
    select thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type,
      substring($18::bytea from at for length), present.run_id
    from unnest($9::text[], $10::text[], $11::text[], $12::text[], $24::text[], $13::integer[], $14::text[], $15::text[],
      $16::integer[], $17::integer[], $23::integer[])
      as w(thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, at, length, writer)
      join present using (writer)`;

/** The first run that replaces what another one wrote keeps it, to be given back where the run is rolled back. */
const keepFormer = (column: 'blob' | 'type') => `
        case when checkpoint_writes.run_id is distinct from excluded.run_id
          then checkpoint_writes.${column} else checkpoint_writes.former${column === 'type' ? '_type' : ''} end`;

const writeSql = `
  with owner as (
    -- Held, so that no engine takes over while this is being written.
    select from engine where epoch = $19 for share
  ), present as (
    -- The permitted writers: unfinished attempts, and those that write for no run.
    select w.writer, w.run_id from jsonb_to_recordset($21::text::jsonb) as w(writer integer, run_id uuid, attempt integer)
    where exists (select from owner) and (w.run_id is null or w.attempt =
      (select runs.attempt from runs where runs.run_id = w.run_id and runs.status in (${UNFINISHED})))
  ), cp as (
    insert into checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, checkpoint, metadata)
    select thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, checkpoint, metadata
    from jsonb_to_recordset($1::text::jsonb) as x(thread_id text, checkpoint_ns text, checkpoint_id text,
      parent_checkpoint_id text, checkpoint jsonb, metadata jsonb, writer integer)
    where writer in (select writer from present)
    on conflict (thread_id, checkpoint_ns, checkpoint_id) do update set checkpoint = excluded.checkpoint, metadata = excluded.metadata
  ), bl as (
    insert into checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob)
    select thread_id, checkpoint_ns, channel, version, type, substring($18::bytea from at for length)
    from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::integer[], $8::integer[], $22::integer[])
      as b(thread_id, checkpoint_ns, channel, version, type, at, length, writer)
    where writer in (select writer from present)
    on conflict do nothing
  ), wr as (
    ${insertWrites} where idx >= 0
    on conflict do nothing
  ), ws as (
    ${insertWrites} where idx < 0
    on conflict (thread_id, checkpoint_ns, checkpoint_id, task_id, idx)
      do update set channel = excluded.channel, type = excluded.type, blob = excluded.blob, task_path = excluded.task_path,
        run_id = excluded.run_id, former = ${keepFormer('blob')}, former_type = ${keepFormer('type')}
  ), fin as (
    select * from jsonb_to_recordset($20::text::jsonb) as x(run_id uuid, attempt integer, task_id uuid, thread_id uuid,
      assistant_id uuid, graph_id text, status text, error jsonb, has_checkpoint boolean, undone boolean, leaves_thread boolean, thread_status text, thread_error jsonb,
      interrupts jsonb, brings_values boolean, "values" jsonb, task_state text, task_status jsonb, task_status_at timestamptz,
      history jsonb, artifacts jsonb, task_seq integer, events jsonb, seq integer)
    where exists (select from owner)
  ), run as (
    update runs set status = fin.status, error = fin.error, ended_at = now(), updated_at = now()
    from fin where ${keyed('runs.run_id', 'fin')} and runs.attempt = fin.attempt and runs.status in (${UNFINISHED})
      -- A rollback that was recorded meanwhile must be known first: the reported end and the stored one must agree.
      and (runs.cancel ->> 'action' is not distinct from 'rollback') = fin.undone
    returning runs.run_id, runs.found is not null as answered
  ), ended as (
    select fin.*, run.answered from fin join run using (run_id)
  ), task as (
    update tasks set state = ended.task_state, status = ended.task_status, status_at = ended.task_status_at,
      history = ended.history, artifacts = ended.artifacts, seq = ended.task_seq, updated_at = now()
    -- The rollback gives an answered task back to its question; until then it is nobody's.
    from ended where ${keyed('tasks.task_id', 'ended')} and not (ended.answered and ended.undone)
  ), thread as (
    -- Only the run that was under way changes its thread, unless it is to be rolled back.
    update threads set interrupts = ended.interrupts, status = ended.thread_status, error = ended.thread_error,
      "values" = case when ended.brings_values then ended."values" else threads."values" end,
      values_stale = not ended.brings_values, state_updated_at = now(),
      graph_id = ended.graph_id, assistant_id = ended.assistant_id,
      has_checkpoint = threads.has_checkpoint or ended.has_checkpoint, updated_at = now()
    from ended where ${keyed('threads.thread_id', 'ended')} and ended.leaves_thread and not ended.undone
  ), dequeued as (
    delete from queue using ended where ${keyed('queue.run_id', 'ended')}
  ), event as (
    insert into run_events (run_id, seq, events) select run_id, seq, events from ended
    on conflict do nothing
  )
  select run_id from run`;

export interface WriteBatch {
  readonly puts: readonly PutWithBlobs[];
  readonly writes: readonly WritesWithBlobs[];
  readonly finishes: readonly FinishRecord[];
}

/**
 * Answers the ids of the runs that this ended; neither a stale attempt is among them, nor a run whose rollback is not
 * known here.
 */
export async function commitWrites(
  db: Database,
  { batch, epoch }: { readonly batch: WriteBatch; readonly epoch: number },
): Promise<Set<string>> {
  const bytes = new Bytes();
  const writers = new Writers();
  const blobs = batch.puts.flatMap(({ put, blobs: sent }) =>
    put.channels.map((one) => ({
      ...put,
      ...one,
      writer: writers.of(put),
      ...bytes.add(one.type === 'empty' ? null : sent[one.blob]),
    })),
  );
  const writes = lastOfEach(
    batch.writes.flatMap(({ writes: set, blobs: sent }) =>
      set.writes.map((one) => ({ ...set, ...one, writer: writers.of(set), sent: sent[one.blob] })),
    ),
    (one) => JSON.stringify([one.thread_id, one.checkpoint_ns, one.checkpoint_id, one.task_id, one.idx]),
  ).map((one) => ({ ...one, ...bytes.add(one.sent) }));
  const checkpoints = checkpointRows(batch.puts, writers);
  const rows = await db.prepared<{ run_id: string }>('write', writeSql, [
    await jsonParameter(checkpoints),
    ...columns(blobs, ['thread_id', 'checkpoint_ns', 'channel', 'version', 'type', 'at', 'length']),
    ...columns(writes, [
      'thread_id',
      'checkpoint_ns',
      'checkpoint_id',
      'task_id',
      'idx',
      'channel',
      'type',
      'at',
      'length',
    ]),
    bytes.all(),
    epoch,
    await jsonParameter(batch.finishes.map(finishRow)),
    await jsonParameter(writers.all),
    ...columns(blobs, ['writer']),
    ...columns(writes, ['writer']),
    writes.map(({ task_path }) => task_path ?? ''),
  ]);
  return new Set(rows.map((row) => row.run_id));
}

function finishRow({ thread, task, ...row }: FinishRecord): object {
  return {
    ...row,
    seq: row.events.at(-1)?.seq ?? 0,
    leaves_thread: thread !== null,
    thread_status: thread?.status,
    thread_error: thread?.error,
    interrupts: thread?.interrupts,
    brings_values: thread?.values !== undefined,
    values: thread?.values,
    ...(task === null
      ? {}
      : {
          task_id: task.task_id,
          task_state: task.status.state,
          task_status: task.status,
          task_status_at: task.status.at,
          history: task.history,
          artifacts: task.artifacts,
          task_seq: task.seq,
        }),
  };
}

/** The size from which on joining costs more than sending in pieces. */
const LARGE_BYTES = 65_536;

/** Joins the bytes of a batch into one value, and records where in it each piece is, counting as SQL does. */
class Bytes {
  readonly #pieces: Uint8Array[] = [];
  #length = 0;

  /** null stays null; a missing piece is empty. */
  add(piece: Uint8Array | null | undefined): { readonly at: number | null; readonly length: number | null } {
    if (piece === null) return { at: null, length: null };
    const place = { at: this.#length + 1, length: piece?.length ?? 0 };
    if (piece !== undefined) this.#pieces.push(piece);
    this.#length += place.length;
    return place;
  }

  all(): Buffer | BytePieces {
    return this.#length < LARGE_BYTES ? Buffer.concat(this.#pieces) : new BytePieces(this.#pieces);
  }
}

/** The attempts of a batch, each once. */
class Writers {
  readonly #numbers = new Map<string, number>();
  readonly all: object[] = [];

  /** The number of an attempt in the batch. */
  of({ run_id, attempt }: Partial<AttemptRef>): number {
    const key = run_id === undefined ? '' : `${run_id}:${attempt}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const writer = this.all.length;
    this.#numbers.set(key, writer);
    this.all.push({ writer, run_id, attempt });
    return writer;
  }
}

/** The run's id goes into the metadata: a later attempt reads from it whether to continue or to begin again. */
function checkpointRows(puts: readonly PutWithBlobs[], writers: Writers): object[] {
  const rows = puts.map(({ put, put: { channels: _channels, run_id, attempt: _attempt, ...row } }) => ({
    ...row,
    writer: writers.of(put),
    metadata: run_id === undefined ? row.metadata : { ...(row.metadata as object), run_id },
  }));
  return lastOfEach(rows, (row) => JSON.stringify([row.thread_id, row.checkpoint_ns, row.checkpoint_id]));
}

/** One statement may touch a row once. */
function lastOfEach<T>(rows: readonly T[], keyOf: (row: T) => string): T[] {
  return [...new Map(rows.map((row) => [keyOf(row), row])).values()];
}

function columns<T, K extends keyof T>(rows: readonly T[], names: readonly K[]): T[K][][] {
  return names.map((name) => rows.map((row) => row[name]));
}
