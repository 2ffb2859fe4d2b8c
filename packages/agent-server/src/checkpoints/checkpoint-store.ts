import type {
  CheckpointKey,
  CheckpointList,
  CheckpointPage,
  CheckpointPut,
  CheckpointTuple,
  CheckpointWrites,
} from '@roadstead/contracts/host';
import type { Queryable } from '@roadstead/postgres';

/** Reads of the stock checkpoint tables; writes go through the commit log (`run-log/write-store.ts`). */

/** A tuple and the bytes that its `blob` indexes point to. */
export interface TupleWithBlobs<T> {
  readonly result: T;
  readonly blobs: readonly Uint8Array[];
}

/** A put or a set of writes with its bytes. */
export interface PutWithBlobs {
  readonly put: CheckpointPut;
  readonly blobs: readonly Uint8Array[];
}
export interface WritesWithBlobs {
  readonly writes: CheckpointWrites;
  readonly blobs: readonly Uint8Array[];
}

interface TupleRow {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string;
  parent_checkpoint_id: string | null;
  checkpoint: { v?: number };
  metadata: unknown;
  channels: (Piece & { channel: string; type: string })[] | null;
  channel_bytes: Buffer | null;
  writes: (Piece & { task_id: string; channel: string; idx: number; type: string | null })[] | null;
  write_bytes: Buffer | null;
  sends: (Piece & { type: string | null })[] | null;
  send_bytes: Buffer | null;
}

/** A piece of bytes that come joined: the driver parses an array of them character by character. */
export interface Piece {
  length: number;
}

/** The order in which LangGraph applies the writes of a step: by code point. */
export const writeOrder = 'w.task_path collate "C", w.task_id collate "C", w.idx';

const tupleColumns = `
  cp.thread_id, cp.checkpoint_ns, cp.checkpoint_id, cp.parent_checkpoint_id, cp.checkpoint, cp.metadata,
  ch.channels, ch.channel_bytes, wr.writes, wr.write_bytes, se.sends, se.send_bytes`;
/**
 * LangGraph for Python keeps plain values in the checkpoint itself. Numbers that JavaScript would read as others, such as the
 * float 2.0, go as bytes.
 */
const inexactNumbers = `
      select n.key, 'json', convert_to(n.value::text, 'UTF8')
      from jsonb_each(cp.checkpoint -> 'channel_values') n
      where jsonb_typeof(n.value) = 'number' and n.value::text ~ '[.]0+$|[0-9]{16}'`;
const tupleJoins = `
  left join lateral (
    select jsonb_agg(jsonb_build_object('channel', b.channel, 'type', b.type, 'length', coalesce(length(b.blob), 0))
             order by b.channel) as channels,
           string_agg(b.blob, ''::bytea order by b.channel) as channel_bytes
    from (
      select b.channel, b.type, b.blob
      from jsonb_each_text(cp.checkpoint -> 'channel_versions') v
      join checkpoint_blobs b on b.thread_id = cp.thread_id and b.checkpoint_ns = cp.checkpoint_ns
        and b.channel = v.key and b.version = v.value
      where b.type <> 'empty'
      union all
      ${inexactNumbers}
    ) b
  ) ch on true
  left join lateral (
    select jsonb_agg(jsonb_build_object('task_id', w.task_id, 'channel', w.channel, 'idx', w.idx, 'type', w.type,
             'length', length(w.blob)) order by ${writeOrder}) as writes,
           string_agg(w.blob, ''::bytea order by ${writeOrder}) as write_bytes
    from checkpoint_writes w
    where w.thread_id = cp.thread_id and w.checkpoint_ns = cp.checkpoint_ns and w.checkpoint_id = cp.checkpoint_id
  ) wr on true
  left join lateral (
    select jsonb_agg(jsonb_build_object('type', w.type, 'length', length(w.blob)) order by ${writeOrder}) as sends,
           string_agg(w.blob, ''::bytea order by ${writeOrder}) as send_bytes
    from checkpoint_writes w
    where coalesce((cp.checkpoint ->> 'v')::numeric, 0) < 4 and w.thread_id = cp.thread_id
      and w.checkpoint_ns = cp.checkpoint_ns and w.checkpoint_id = cp.parent_checkpoint_id and w.channel = '__pregel_tasks'
  ) se on true`;

export async function readTuple(
  db: Queryable,
  key: CheckpointKey,
): Promise<TupleWithBlobs<CheckpointTuple | null>> {
  const values = [
    key.thread_id,
    key.checkpoint_ns,
    ...(key.checkpoint_id === undefined ? [] : [key.checkpoint_id]),
  ];
  const [row] = await db.query<TupleRow>(
    `select ${tupleColumns} from checkpoints cp ${tupleJoins}
     where cp.thread_id = $1 and cp.checkpoint_ns = $2 ${key.checkpoint_id === undefined ? '' : 'and cp.checkpoint_id = $3'}
     order by cp.checkpoint_id desc limit 1`,
    values,
  );
  const blobs: Uint8Array[] = [];
  return { result: row === undefined ? null : tupleOf(row, blobs), blobs };
}

/** The most that one page holds, far less than a frame may; a checkpoint that is larger is a page by itself. */
export const PAGE_LIMITS = { rows: 100, bytes: 16 * 1024 * 1024 };

/** The bytes of a checkpoint as a tuple has it, found without reading them. */
const tupleBytes = `
  octet_length(cp.checkpoint::text) + octet_length(cp.metadata::text) + coalesce((
    select sum(length(b.blob)) from jsonb_each_text(cp.checkpoint -> 'channel_versions') v
    join checkpoint_blobs b on b.thread_id = cp.thread_id and b.checkpoint_ns = cp.checkpoint_ns
      and b.channel = v.key and b.version = v.value
  ), 0) + coalesce((
    select sum(length(w.blob)) from checkpoint_writes w
    where w.thread_id = cp.thread_id and w.checkpoint_ns = cp.checkpoint_ns and (w.checkpoint_id = cp.checkpoint_id
      or (w.checkpoint_id = cp.parent_checkpoint_id and w.channel = '__pregel_tasks'))
  ), 0)`;

interface PageRow extends TupleRow {
  /** How many checkpoints were found before any was left out for its size. */
  found: number;
}

export async function listTuples(
  db: Queryable,
  { thread_id, checkpoint_ns, before, filter = {}, limit = Infinity }: CheckpointList,
): Promise<TupleWithBlobs<CheckpointPage>> {
  const rows = await db.query<PageRow>(
    `select ${tupleColumns}, cp.found from (
       select cp.*, row_number() over newest as place, sum(${tupleBytes}) over newest as bytes, count(*) over ()::int as found
       from (
         select * from checkpoints cp
         where ($1::text is null or cp.thread_id = $1) and ($2::text is null or cp.checkpoint_ns = $2)
           and ($3::text is null or cp.checkpoint_id < $3) and ($4::text is null or cp.metadata @> $4::text::jsonb)
         order by cp.checkpoint_id desc limit $5
       ) cp
       window newest as (order by cp.checkpoint_id desc rows unbounded preceding)
     ) cp ${tupleJoins}
     where cp.place = 1 or cp.place <= $6 and cp.bytes <= $7
     order by cp.checkpoint_id desc`,
    [
      thread_id ?? null,
      checkpoint_ns ?? null,
      before ?? null,
      Object.keys(filter).length === 0 ? null : JSON.stringify(filter),
      Math.max(0, Math.min(limit, PAGE_LIMITS.rows + 1)),
      PAGE_LIMITS.rows,
      PAGE_LIMITS.bytes,
    ],
  );
  const blobs: Uint8Array[] = [];
  const tuples = rows.map((row) => tupleOf(row, blobs));
  const has_more = tuples.length < (rows[0]?.found ?? 0);
  return { result: { tuples, ...(has_more ? { more: true } : {}) }, blobs };
}

export async function deleteCheckpoints(db: Queryable, thread_id: string): Promise<void> {
  await db.run(
    `with c as (delete from checkpoints where thread_id = $1), w as (delete from checkpoint_writes where thread_id = $1)
     delete from checkpoint_blobs where thread_id = $1`,
    [thread_id],
  );
}

/** Finds the newest checkpoint of a thread if this run wrote it: then a new attempt continues from it. */
export async function findOwnCheckpoints(
  db: Queryable,
  { thread_id, run_id }: { readonly thread_id: string; readonly run_id: string },
): Promise<{ readonly after: string | null } | undefined> {
  const row = await db.maybe<{ is_own: boolean; after: string | null }>(
    `with of_thread as (
       select checkpoint_id, metadata ->> 'run_id' is not distinct from $2 as is_own from checkpoints
       where thread_id = $1 and checkpoint_ns = ''
     )
     select is_own, (select max(checkpoint_id) from of_thread where not is_own) as after
     from of_thread order by checkpoint_id desc limit 1`,
    [thread_id, run_id],
  );
  return row?.is_own === true ? { after: row.after } : undefined;
}

function tupleOf(row: TupleRow, blobs: Uint8Array[]): CheckpointTuple {
  return {
    thread_id: row.thread_id,
    checkpoint_ns: row.checkpoint_ns,
    checkpoint_id: row.checkpoint_id,
    parent_checkpoint_id: row.parent_checkpoint_id,
    checkpoint: row.checkpoint,
    metadata: row.metadata,
    channels: indexed(row.channels, row.channel_bytes, blobs),
    writes: indexed(row.writes, row.write_bytes, blobs).map(withType),
    pending_sends: indexed(row.sends, row.send_bytes, blobs).map(withType),
  };
}

export const withType = <T extends { readonly type: string | null }>(one: T) => ({
  ...one,
  type: one.type ?? 'json',
});

/** Splits the joined bytes. */
// oxlint-disable-next-line roadstead/two-positional -- what there is, its bytes and where they go
export function indexed<T extends Piece>(
  pieces: readonly T[] | null,
  bytes: Buffer | null,
  blobs: Uint8Array[],
): (Omit<T, 'length'> & { readonly blob: number })[] {
  let at = 0;
  return (pieces ?? []).map(({ length, ...one }) => {
    const begin = at;
    at += length;
    return { ...one, blob: blobs.push(bytes?.subarray(begin, at) ?? Buffer.alloc(0)) - 1 };
  });
}
