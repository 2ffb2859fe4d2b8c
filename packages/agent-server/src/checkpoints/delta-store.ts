import type { DeltaHistory, DeltaHistoryKey } from '@roadstead/contracts/host';
import type { Queryable } from '@roadstead/postgres';
import { indexed, type Piece, type TupleWithBlobs, withType, writeOrder } from './checkpoint-store.ts';

/** Reads channels that are stored as differences, put together from the ancestors of a checkpoint. */

interface ChannelRow {
  readonly channel: string;
  readonly seed_type: string | null;
  readonly seed: Buffer | null;
  readonly writes: (Piece & { task_id: string; type: string | null })[] | null;
  readonly bytes: Buffer | null;
}

/** Walks up from the parent while a wanted channel is not found whole. */
const walkSql = (newest: boolean) => `
  with recursive walk as (
    select p.checkpoint_id, p.parent_checkpoint_id, p.checkpoint, 1 as depth, $3::text[] as wanted, held.channels as held
    from (
      select parent_checkpoint_id from checkpoints where thread_id = $1 and checkpoint_ns = $2
        ${newest ? '' : 'and checkpoint_id = $4'} order by checkpoint_id desc limit 1
    ) t
    join checkpoints p on p.thread_id = $1 and p.checkpoint_ns = $2 and p.checkpoint_id = t.parent_checkpoint_id
    ${heldBy('$3::text[]')}
    union all
    select p.checkpoint_id, p.parent_checkpoint_id, p.checkpoint, w.depth + 1, still.channels, held.channels
    from walk w
    cross join lateral (
      select coalesce(array_agg(one), '{}') as channels from unnest(w.wanted) as one where one <> all (w.held)
    ) still
    join checkpoints p on p.thread_id = $1 and p.checkpoint_ns = $2 and p.checkpoint_id = w.parent_checkpoint_id
    ${heldBy('still.channels')}
    where cardinality(still.channels) > 0
  )
  select c.channel, seed.type as seed_type, seed.blob as seed, written.writes, written.bytes
  from unnest($3::text[]) as c(channel)
  left join lateral (
    select coalesce(b.type, 'json') as type,
      coalesce(b.blob, convert_to((walk.checkpoint -> 'channel_values' -> c.channel)::text, 'UTF8')) as blob
    from walk
    left join checkpoint_blobs b on b.thread_id = $1 and b.checkpoint_ns = $2 and b.channel = c.channel
      and b.type <> 'empty' and b.version = walk.checkpoint -> 'channel_versions' ->> c.channel
    where c.channel = any (walk.held)
  ) seed on true
  left join lateral (
    select jsonb_agg(jsonb_build_object('task_id', w.task_id, 'type', w.type, 'length', length(w.blob))
             order by walk.depth desc, ${writeOrder}) as writes,
           string_agg(w.blob, ''::bytea order by walk.depth desc, ${writeOrder}) as bytes
    from walk
    join checkpoint_writes w on w.thread_id = $1 and w.checkpoint_ns = $2 and w.checkpoint_id = walk.checkpoint_id
    where w.channel = c.channel and c.channel = any (walk.wanted)
  ) written on true`;

/** A checkpoint holds a channel whole in bytes, or in itself as LangGraph for Python does with numbers and texts. */
function heldBy(wanted: string): string {
  return `cross join lateral (
      select coalesce(array_agg(one), '{}') as channels from unnest(${wanted}) as one
      where coalesce(jsonb_typeof(p.checkpoint -> 'channel_values' -> one), 'null') <> 'null' or exists (
        select from checkpoint_blobs b where b.thread_id = $1 and b.checkpoint_ns = $2 and b.channel = one
          and b.type <> 'empty' and b.version = p.checkpoint -> 'channel_versions' ->> one
      )
    ) held`;
}

export async function readDeltas(
  db: Queryable,
  { thread_id, checkpoint_ns, checkpoint_id, channels }: DeltaHistoryKey,
): Promise<TupleWithBlobs<{ channels: DeltaHistory[] }>> {
  const rows = await db.query<ChannelRow>(walkSql(checkpoint_id === undefined), [
    thread_id,
    checkpoint_ns,
    channels,
    ...(checkpoint_id === undefined ? [] : [checkpoint_id]),
  ]);
  const blobs: Uint8Array[] = [];
  return { result: { channels: rows.map((row) => historyOf(row, blobs)) }, blobs };
}

function historyOf(
  { channel, seed_type, seed, writes, bytes }: ChannelRow,
  blobs: Uint8Array[],
): DeltaHistory {
  const written = { channel, writes: indexed(writes, bytes, blobs).map(withType) };
  if (seed_type === null) return written;
  return { ...written, seed: { type: seed_type, blob: blobs.push(seed ?? Buffer.alloc(0)) - 1 } };
}
