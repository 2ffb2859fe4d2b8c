import { BytePieces, type Database } from '@roadstead/kit';
import type { PutWithBlobs, WritesWithBlobs } from '../checkpoints/checkpoint-store.ts';
import { jsonParameter } from '../json-text.ts';
import type { BeginRecord, FinishRecord } from './records.ts';

/**
 * The two hot statements: each writes what many runs produced, in one commit. Rows come as JSON and as columns, all
 * bytes as one value that the server cuts up: as an array they would be sent as hexadecimal text. Every join is by
 * primary key.
 */

const beginSql = `
  with items as (
    select * from jsonb_to_recordset($1::text::jsonb) as x(task_id uuid, run_id uuid, thread_id uuid, new_thread boolean,
      principal text, assistant_id uuid, graph_id text, context_id text, context_key text, message_id text,
      revision_id uuid, input jsonb, chunks boolean, metadata jsonb, state text, status jsonb, history jsonb)
    where exists (select from engine where epoch = $2)
  ), task as (
    insert into tasks (task_id, principal, assistant_id, context_id, thread_id, run_id, context_key, message_id, state, status, history, artifacts, seq)
    select task_id, principal, assistant_id, context_id, thread_id, run_id, context_key, message_id, state, status, history, '[]', 1 from items
    on conflict (principal, assistant_id, context_key, message_id) do nothing
    returning task_id
  ), new as (
    select items.* from items join task using (task_id)
  ), thread as (
    insert into threads (thread_id, assistant_id, graph_id)
    select thread_id, assistant_id, graph_id from new where new_thread
  ), context as (
    insert into contexts (principal, assistant_id, context_id, thread_id)
    select principal, assistant_id, context_id, thread_id from new where new_thread
  ), run as (
    insert into runs (run_id, thread_id, task_id, assistant_id, graph_id, revision_id, attempt, status, input, chunks, metadata)
    select run_id, thread_id, task_id, assistant_id, graph_id, revision_id, 1, 'pending', input, chunks, metadata from new
  ), queued as (
    insert into queue (run_id) select run_id from new
  ), event as (
    insert into task_events (task_id, seq, event)
    select task_id, 1, jsonb_build_object('seq', 1, 'kind', 'status', 'status', status) from new
  )
  select task_id from task`;

/** The ids of the tasks that were made; the others' messages are known already, or the epoch has passed. */
export async function commitBegins(
  db: Database,
  { items, epoch }: { readonly items: readonly BeginRecord[]; readonly epoch: number },
): Promise<Set<string>> {
  const rows = await db.prepared<{ task_id: string }>('begin', beginSql, [await jsonParameter(items), epoch]);
  return new Set(rows.map((row) => row.task_id));
}

const writeColumns = `thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type,
      substring($18::bytea from at for length)
    from unnest($9::text[], $10::text[], $11::text[], $12::text[], $13::integer[], $14::text[], $15::text[],
      $16::integer[], $17::integer[])
      as w(thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, at, length)`;

const writeSql = `
  with owner as (
    select from engine where epoch = $19
  ), cp as (
    insert into checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, checkpoint, metadata)
    select thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, checkpoint, metadata
    from jsonb_to_recordset($1::text::jsonb) as x(thread_id text, checkpoint_ns text, checkpoint_id text,
      parent_checkpoint_id text, checkpoint jsonb, metadata jsonb)
    where exists (select from owner)
    on conflict (thread_id, checkpoint_ns, checkpoint_id) do update set checkpoint = excluded.checkpoint, metadata = excluded.metadata
  ), bl as (
    insert into checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob)
    select thread_id, checkpoint_ns, channel, version, type, substring($18::bytea from at for length)
    from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::integer[], $8::integer[])
      as b(thread_id, checkpoint_ns, channel, version, type, at, length)
    where exists (select from owner)
    on conflict do nothing
  ), wr as (
    insert into checkpoint_writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob)
    select ${writeColumns} where idx >= 0 and exists (select from owner)
    on conflict do nothing
  ), ws as (
    insert into checkpoint_writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob)
    select ${writeColumns} where idx < 0 and exists (select from owner)
    on conflict (thread_id, checkpoint_ns, checkpoint_id, task_id, idx)
      do update set channel = excluded.channel, type = excluded.type, blob = excluded.blob
  ), fin as (
    select * from jsonb_to_recordset($20::text::jsonb) as x(run_id uuid, attempt integer, task_id uuid, thread_id uuid,
      status text, error jsonb, has_checkpoint boolean, interrupts jsonb, task_status jsonb,
      history jsonb, artifacts jsonb, events jsonb, seq integer)
    where exists (select from owner)
  ), run as (
    update runs set status = fin.status, error = fin.error, ended_at = now()
    from fin where runs.run_id = fin.run_id and runs.attempt = fin.attempt and runs.status = 'pending'
    returning runs.run_id
  ), ended as (
    select fin.* from fin join run using (run_id)
  ), task as (
    update tasks set state = ended.task_status ->> 'state', status = ended.task_status,
      history = coalesce(ended.history, tasks.history),
      artifacts = ended.artifacts, seq = ended.seq, updated_at = now()
    from ended where tasks.task_id = ended.task_id
  ), thread as (
    update threads set interrupts = ended.interrupts,
      has_checkpoint = threads.has_checkpoint or ended.has_checkpoint, updated_at = now()
    from ended where threads.thread_id = ended.thread_id
  ), dequeued as (
    delete from queue using ended where queue.run_id = ended.run_id
  ), event as (
    insert into task_events (task_id, seq, event)
    select ended.task_id, (e.value ->> 'seq')::integer, e.value from ended cross join lateral jsonb_array_elements(ended.events) e
    on conflict do nothing
  )
  select run_id from run`;

export interface WriteBatch {
  readonly puts: readonly PutWithBlobs[];
  readonly writes: readonly WritesWithBlobs[];
  readonly finishes: readonly FinishRecord[];
}

/** The ids of the runs that ended by this; a stale attempt isn't among them. */
export async function commitWrites(
  db: Database,
  { batch, epoch }: { readonly batch: WriteBatch; readonly epoch: number },
): Promise<Set<string>> {
  const bytes = new Bytes();
  const blobs = batch.puts.flatMap(({ put, blobs: sent }) =>
    put.channels.map((one) => ({
      ...put,
      ...one,
      ...bytes.add(one.type === 'empty' ? null : sent[one.blob]),
    })),
  );
  const writes = lastOfEach(
    batch.writes.flatMap(({ writes: set, blobs: sent }) =>
      set.writes.map((one) => ({ ...set, ...one, sent: sent[one.blob] })),
    ),
    (one) => JSON.stringify([one.thread_id, one.checkpoint_ns, one.checkpoint_id, one.task_id, one.idx]),
  ).map((one) => ({ ...one, ...bytes.add(one.sent) }));
  const finishes = batch.finishes.map((one) => ({ ...one, seq: one.events.at(-1)?.seq ?? 0 }));
  const rows = await db.prepared<{ run_id: string }>('write', writeSql, [
    await jsonParameter(checkpointRows(batch.puts)),
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
    await jsonParameter(finishes),
  ]);
  return new Set(rows.map((row) => row.run_id));
}

/** From here on joining costs more than sending in pieces. */
const LARGE_BYTES = 262_144;

/** The bytes of a batch as one value, and where in it each piece is, as SQL counts. */
class Bytes {
  readonly #pieces: Uint8Array[] = [];
  #length = 0;

  /** null stays null; what is missing is empty. */
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

/** The run's id goes into the metadata: by it a later attempt knows whether to continue or to begin anew. */
function checkpointRows(puts: readonly PutWithBlobs[]): object[] {
  const rows = puts.map(({ put: { channels: _channels, run_id, attempt: _attempt, ...row } }) => ({
    ...row,
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
