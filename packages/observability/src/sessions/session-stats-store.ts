import type { Queryable } from '@roadstead/kit';
import { instantText } from '../runs/run-store.ts';
import type { SessionStats } from './session-row.ts';

/** Statistics `r` over the root runs of each project `s`, in the workspace `$1`. */
export const rootStats = `cross join lateral (
       select count(*) as run_count,
         percentile_cont(array[0.5, 0.99]) within group (order by seconds) as latency,
         percentile_cont(array[0.5, 0.99]) within group (order by first_token_seconds) as first_token,
         count(*) filter (where has_error)::float8 / nullif(count(*), 0) as error_rate,
         count(first_token_seconds)::float8 / nullif(count(*), 0) as streaming_rate,
         max(start_time) as last_run_start_time
       from (
         select r.has_error, r.start_time,
           extract(epoch from r.end_time - least(r.start_time, r.end_time))::float8 as seconds,
           extract(epoch from f.time - least(r.start_time, f.time))::float8 as first_token_seconds
         from traces.runs r
         left join traces.traces t on t.trace_id = r.trace_id and t.workspace_id = r.workspace_id
         cross join lateral (select coalesce(t.first_token_time, r.first_token_time) as time) f
         where r.session_id = s.id and r.workspace_id = $1 and r.is_root
       ) roots
     ) r`;

/**
 * Statistics of projects over their root runs; tokens and costs are those of whole traces. Percentiles are exact
 * (`percentile_cont`), of finished runs. A client stamps starts to the microsecond, to keep their order, and ends to the
 * millisecond: an end before its start counts as no time.
 */
export async function readSessionStats(
  db: Queryable,
  { workspace_id, session_ids }: { readonly workspace_id: string; readonly session_ids: readonly string[] },
): Promise<Map<string, SessionStats>> {
  if (session_ids.length === 0) return new Map();
  const rows = await db.query<SessionStats & { session_id: string }>(
    `select s.id as session_id, r.run_count, r.latency[1] as latency_p50, r.latency[2] as latency_p99,
       r.first_token[1] as first_token_p50, r.first_token[2] as first_token_p99, r.error_rate, r.streaming_rate,
       ${instantText('r.last_run_start_time')} as last_run_start_time, t.*
     from unnest($2::uuid[]) as s(id)
     ${rootStats}
     cross join lateral (
       select coalesce(sum(prompt_tokens), 0)::int8 as prompt_tokens,
         coalesce(sum(completion_tokens), 0)::int8 as completion_tokens,
         coalesce(sum(total_tokens), 0)::int8 as total_tokens, sum(prompt_cost) as prompt_cost,
         sum(completion_cost) as completion_cost, sum(total_cost) as total_cost
       from traces.traces where session_id = s.id and workspace_id = $1
     ) t`,
    [workspace_id, session_ids],
  );
  return new Map(rows.map(({ session_id, ...stats }) => [session_id, stats]));
}
