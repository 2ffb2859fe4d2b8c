import type { Queryable, Transaction } from '@roadstead/postgres';
import type { DayUsage, WorkspaceBytes } from './usage-rules.ts';

/** The number of traces that a workspace began, by day and project. */

/** A span of days, whose end is exclusive; as `2026-01-31`. */
interface Days {
  readonly workspace_id: string;
  readonly from: string;
  readonly before: string;
}

/** Usage by day; days without traces are left out. */
export async function listDays(db: Queryable, { workspace_id, from, before }: Days): Promise<DayUsage[]> {
  return db.query<DayUsage>(
    `select day, sum(traces)::bigint as traces, sum(longlived)::bigint as longlived from traces.usage
     where workspace_id = $1 and day >= $2 and day < $3 group by day having sum(traces) > 0 order by day`,
    [workspace_id, from, before],
  );
}

/** The compressed bytes of traces in these days. */
export async function readBytes(db: Queryable, { workspace_id, from, before }: Days): Promise<number> {
  const { bytes } = await db.one<{ bytes: number }>(
    `select coalesce(sum(bytes), 0)::bigint as bytes from traces.usage_bytes
     where workspace_id = $1 and day >= $2 and day < $3`,
    [workspace_id, from, before],
  );
  return bytes;
}

/** Counts bytes. @param now ISO text, in UTC. */
export async function countBytes(
  tx: Transaction,
  {
    bytes_sent,
    now,
  }: {
    readonly bytes_sent: readonly WorkspaceBytes[];
    readonly now: string;
  },
): Promise<void> {
  if (bytes_sent.length === 0) return;
  await tx.run(
    `insert into traces.usage_bytes as u (workspace_id, day, shard, bytes)
     select b.workspace_id, $3::date, pg_backend_pid() % 8, b.bytes
     from unnest($1::uuid[], $2::bigint[]) as b(workspace_id, bytes)
     on conflict (workspace_id, day, shard) do update set bytes = u.bytes + excluded.bytes`,
    [bytes_sent.map((one) => one.workspace_id), bytes_sent.map((one) => one.bytes), now.slice(0, 10)],
  );
}

export interface ProjectUsage {
  readonly day: string;
  readonly session_id: string;
  readonly session_name: string | null;
  readonly traces: number;
}

/** Usage by project; the name is that of an existing project. */
export async function listProjectDays(
  db: Queryable,
  { workspace_id, from, before }: Days,
): Promise<ProjectUsage[]> {
  return db.query<ProjectUsage>(
    `select u.day, u.session_id, s.name as session_name, sum(u.traces)::bigint as traces
     from traces.usage u left join traces.sessions s
       on s.workspace_id = u.workspace_id and s.id = u.session_id and s.deleted_at is null
     where u.workspace_id = $1 and u.day >= $2 and u.day < $3
     group by u.day, u.session_id, s.name having sum(u.traces) > 0 order by u.day, u.session_id`,
    [workspace_id, from, before],
  );
}

export interface AbsorbedTrace {
  readonly workspace_id: string;
  readonly session_id: string | null;
  readonly received_at: string;
  readonly tier: string;
}

/** Subtracts traces that turned out to be part of others. */
export async function uncountTraces(tx: Transaction, gone: readonly AbsorbedTrace[]): Promise<void> {
  if (gone.length === 0) return;
  await tx.run(
    `insert into traces.usage as u (workspace_id, day, session_id, shard, traces, longlived)
     select workspace_id, (received_at at time zone 'UTC')::date, traces.usage_session(session_id),
       pg_backend_pid() % 8, -count(*), -count(*) filter (where tier = 'longlived')
     from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[]) as g(workspace_id, session_id, received_at, tier)
     group by 1, 2, 3
     on conflict (workspace_id, day, session_id, shard) do update
       set traces = u.traces + excluded.traces, longlived = u.longlived + excluded.longlived`,
    [
      gone.map((trace) => trace.workspace_id),
      gone.map((trace) => trace.session_id),
      gone.map((trace) => trace.received_at),
      gone.map((trace) => trace.tier),
    ],
  );
}

export interface WorkspaceCounts {
  readonly sessions: number;
  readonly datasets: number;
  readonly prompts: number;
  readonly queues: number;
}

export async function countThings(db: Queryable, workspace_id: string): Promise<WorkspaceCounts> {
  return db.one<WorkspaceCounts>(
    `select
       (select count(*) from traces.sessions where workspace_id = $1 and deleted_at is null
         and reference_dataset_id is null) as sessions,
       (select count(*) from traces.datasets where workspace_id = $1 and deleted_at is null) as datasets,
       (select count(*) from traces.prompts where workspace_id = $1) as prompts,
       (select count(*) from traces.annotation_queues where workspace_id = $1) as queues`,
    [workspace_id],
  );
}
