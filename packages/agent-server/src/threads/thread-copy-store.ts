import type { Database } from '@roadstead/postgres';
import { jsonParameter } from '../json/json-text.ts';

/** Copies whole threads and measures them, over connections whose planner may scan. */

/** Copies a thread and its checkpoints from one snapshot; false where it is no longer there. */
export async function copyThread(
  db: Database,
  copy: { readonly from: string; readonly to: string; readonly metadata: object },
): Promise<boolean> {
  const copied = await db.run(
    `with thread as (
       insert into threads (thread_id, assistant_id, graph_id, has_checkpoint, interrupts, metadata, config, status, error,
         "values", values_stale, state_updated_at, ttl_strategy, ttl_minutes, expires_at)
       select $2::text::uuid, assistant_id, graph_id, has_checkpoint, interrupts, $3::text::jsonb, config, status, error,
         "values", values_stale, state_updated_at, ttl_strategy, ttl_minutes, now() + make_interval(secs => ttl_minutes * 60)
       from threads where thread_id = $1::text::uuid
       returning thread_id
     ), checkpoint as (
       insert into checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata)
       select $2, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint,
         case when metadata ->> 'thread_id' = $1 then jsonb_set(metadata, '{thread_id}', to_jsonb($2::text)) else metadata end
       from checkpoints where thread_id = $1 and exists (select from thread)
     ), blob as (
       insert into checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob)
       select $2, checkpoint_ns, channel, version, type, blob
       from checkpoint_blobs where thread_id = $1 and exists (select from thread)
     ), write as (
       insert into checkpoint_writes (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, blob)
       select $2, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, blob
       from checkpoint_writes where thread_id = $1 and exists (select from thread)
     )
     select from thread`,
    [copy.from, copy.to, await jsonParameter(copy.metadata)],
  );
  return copied === 1;
}

interface Section {
  readonly count: number;
  readonly bytes: number;
}

export interface ThreadStorage {
  readonly thread_id: string;
  readonly total_bytes: number;
  readonly checkpoints: Section;
  readonly channel_values: Section & {
    readonly by_channel: Readonly<Record<string, { readonly versions: number; readonly bytes: number }>>;
  };
  readonly pending_writes: Section;
}

/** The stored size of a thread's checkpoints. */
export async function readStorage(db: Database, thread_id: string): Promise<ThreadStorage> {
  const rows = await db.query<Section & { readonly section: string; readonly channel: string | null }>(
    `select 'checkpoints' as section, null as channel, count(*) as count,
       coalesce(sum(pg_column_size(checkpoint) + pg_column_size(metadata)), 0)::bigint as bytes
     from checkpoints where thread_id = $1
     union all
     select 'channel_values', channel, count(*), coalesce(sum(pg_column_size(blob)), 0)::bigint
     from checkpoint_blobs where thread_id = $1 group by channel
     union all
     select 'pending_writes', null, count(*), coalesce(sum(pg_column_size(blob)), 0)::bigint
     from checkpoint_writes where thread_id = $1`,
    [thread_id],
  );
  const section = (name: string): Section => {
    const of = rows.filter((row) => row.section === name);
    return {
      count: of.reduce((sum, { count }) => sum + count, 0),
      bytes: of.reduce((sum, { bytes }) => sum + bytes, 0),
    };
  };
  const channels = rows.flatMap(({ channel, count, bytes }) =>
    channel === null ? [] : [[channel, { versions: count, bytes }] as const],
  );
  return {
    thread_id,
    total_bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0),
    checkpoints: section('checkpoints'),
    channel_values: { ...section('channel_values'), by_channel: Object.fromEntries(channels) },
    pending_writes: section('pending_writes'),
  };
}
