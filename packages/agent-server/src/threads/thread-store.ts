import type { ThreadField } from '@roadstead/contracts/agent-server';
import type { Queryable } from '@roadstead/postgres';
import { jsonParameter } from '../json/json-text.ts';
import { INNER_FIELDS } from '../runs/interrupt-rules.ts';
import { ALL_FIELDS, type ThreadRow, type TtlStrategy } from './thread-row.ts';

/** Reads and changes single threads: by their id, and only where their metadata contains what the caller may see. */

/** Columns that clients or graphs write: they come as text, and only where they are wanted. */
const texts: Readonly<Partial<Record<ThreadField, string>>> = {
  metadata: 't.metadata::text',
  config: 't.config::text',
  values: 't."values"::text',
  error: 't.error::text',
};
/** Open questions by the task that asks; a question whose task is unknown is keyed by its own id. */
export const interruptsByTask = `(
  select coalesce(jsonb_object_agg(task, questions), '{}') from (
    select coalesce(i ->> 'task_id', i ->> 'id', '') as task, jsonb_agg(i - ${INNER_FIELDS} order by at) as questions
    from jsonb_array_elements(t.interrupts) with ordinality as x(i, at) group by 1) as asked)`;
/** The status of a thread: busy as long as a run of it has not ended. */
export const derivedStatus = `case when exists (select from queue q join runs r using (run_id) where r.thread_id = t.thread_id)
    then 'busy' else t.status end`;

export function threadColumns(fields: readonly ThreadField[] = ALL_FIELDS): string {
  const chosen = Object.entries(texts).map(
    ([name, text]) => `${fields.includes(name as ThreadField) ? text : 'null'} as "${name}"`,
  );
  return `t.thread_id, coalesce(t.graph_id, t.metadata ->> 'graph_id') as graph_id, t.has_checkpoint, t.values_stale,
    ${derivedStatus} as status, ${chosen.join(', ')},
    ${fields.includes('interrupts') ? `${interruptsByTask}::text` : 'null'} as interrupts,
    t.ttl_strategy, t.ttl_minutes, t.expires_at, t.created_at, t.updated_at,
    coalesce(t.state_updated_at, t.created_at) as state_updated_at`;
}

interface ThreadKey {
  readonly thread_id: string;
  /** JSON that its metadata must contain. */
  readonly within: object;
}

export async function findThread(
  db: Queryable,
  { thread_id, within }: ThreadKey,
): Promise<ThreadRow | undefined> {
  return db.maybe<ThreadRow>(
    `select ${threadColumns()} from threads t where t.thread_id = $1 and t.metadata @> $2::jsonb`,
    [thread_id, JSON.stringify(within)],
  );
}

export interface Ttl {
  readonly strategy: TtlStrategy;
  readonly minutes: number;
}

/** Metadata that a thread, its copy or its newest checkpoint gets. */
export interface ThreadMetadata {
  readonly thread_id: string;
  readonly metadata: object;
}

/** The parts of a thread beside its state that a client writes. */
export interface ThreadChange {
  readonly metadata: object;
  readonly ttl: Ttl | null;
}

/** False where the id is taken. */
export async function insertThread(
  db: Queryable,
  thread: ThreadChange & { readonly thread_id: string; readonly graph_id: string | null },
): Promise<boolean> {
  const { thread_id, graph_id, metadata, ttl } = thread;
  const inserted = await db.run(
    `insert into threads (thread_id, graph_id, metadata, ttl_strategy, ttl_minutes, expires_at)
     values ($1, $2, $3::text::jsonb, $4, $5, now() + make_interval(secs => $5::double precision * 60))
     on conflict (thread_id) do nothing`,
    [thread_id, graph_id, await jsonParameter(metadata), ttl?.strategy ?? null, ttl?.minutes ?? null],
  );
  return inserted === 1;
}

/** False where there is no thread that the caller may change and would still see. */
export async function patchThread(
  db: Queryable,
  { thread_id, within, metadata, ttl }: ThreadKey & ThreadChange,
): Promise<boolean> {
  const touched = await db.run(
    `update threads t set metadata = t.metadata || $3::text::jsonb, updated_at = now(),
       ttl_strategy = coalesce($4, t.ttl_strategy), ttl_minutes = coalesce($5, t.ttl_minutes),
       expires_at = case when $5::double precision is null then t.expires_at
         else now() + make_interval(secs => $5 * 60) end
     where t.thread_id = $1 and t.metadata @> $2::jsonb and t.metadata || $3::text::jsonb @> $2::jsonb`,
    [
      thread_id,
      JSON.stringify(within),
      await jsonParameter(metadata),
      ttl?.strategy ?? null,
      ttl?.minutes ?? null,
    ],
  );
  return touched === 1;
}

/** Stores the values that a graph host answered; false where a run has changed them since. */
export async function keepValues(
  db: Queryable,
  { seen, values }: { readonly seen: ThreadRow; readonly values: unknown },
): Promise<boolean> {
  const kept = await db.run(
    `update threads t set "values" = $2::text::jsonb, values_stale = false
     where t.thread_id = $1 and t.values_stale and date_trunc('milliseconds', coalesce(t.state_updated_at, t.created_at)) = $3::timestamptz
       and ${derivedStatus} <> 'busy'`,
    [seen.thread_id, await jsonParameter(values), seen.state_updated_at],
  );
  return kept === 1;
}

/** Records that a client has written the state. */
export async function saveState(
  db: Queryable,
  state: {
    readonly thread_id: string;
    readonly graph_id: string;
    readonly status: 'idle' | 'interrupted';
    readonly values: unknown;
    readonly interrupts: readonly object[];
  },
): Promise<void> {
  await db.run(
    `update threads set graph_id = coalesce(graph_id, $2), status = $3, "values" = $4::text::jsonb, interrupts = $5::text::jsonb,
       values_stale = false, has_checkpoint = true, error = null, updated_at = now(), state_updated_at = now()
     where thread_id = $1`,
    [
      state.thread_id,
      state.graph_id,
      state.status,
      await jsonParameter(state.values),
      await jsonParameter(state.interrupts),
    ],
  );
}

/**
 * Merges metadata into the newest checkpoint of the graph itself; false where there is none. `parents` is LangGraph's own, by which
 * it finds checkpoints, and stays as it is.
 */
export async function patchCheckpoint(
  db: Queryable,
  { thread_id, metadata }: ThreadMetadata,
): Promise<boolean> {
  const { parents: _parents, ...merged } = metadata as { readonly parents?: unknown };
  const touched = await db.run(
    `update checkpoints set metadata = metadata || $2::text::jsonb
     where thread_id = $1 and checkpoint_ns = '' and checkpoint_id =
       (select checkpoint_id from checkpoints where thread_id = $1 and checkpoint_ns = '' order by checkpoint_id desc limit 1)`,
    [thread_id, await jsonParameter(merged)],
  );
  return touched === 1;
}
