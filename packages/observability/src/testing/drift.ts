import { silentLog } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { startDigest } from '../digest/digest-loop.ts';
import { ALL_TIME } from '../digest/rollup-rules.ts';
import { readSessionStats } from '../statistics/session-stats-work.ts';
import { WORKSPACE } from './observability-fixture.ts';

/** The same statistics by counting, with exact percentiles. */
const counted = `
  select s.id, coalesce(r.run_count, 0)::int8 as run_count, r.latency_p50, r.latency_p99, r.first_token_p50, r.first_token_p99,
    r.error_rate, r.streaming_rate, to_char(r.last at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"') as last_run_start_time,
    coalesce(r.prompt_tokens, 0)::int8 as prompt_tokens, coalesce(r.completion_tokens, 0)::int8 as completion_tokens,
    coalesce(r.total_tokens, 0)::int8 as total_tokens, r.prompt_cost, r.completion_cost, r.total_cost
  from traces.sessions s cross join lateral (
    select count(*) as run_count,
      percentile_cont(0.5) within group (order by seconds) as latency_p50,
      percentile_cont(0.99) within group (order by seconds) as latency_p99,
      percentile_cont(0.5) within group (order by first_token_seconds) as first_token_p50,
      percentile_cont(0.99) within group (order by first_token_seconds) as first_token_p99,
      avg(has_error::int)::float8 as error_rate, count(first_token_seconds)::float8 / nullif(count(*), 0) as streaming_rate,
      max(start_time) as last, sum(prompt_tokens) as prompt_tokens, sum(completion_tokens) as completion_tokens,
      sum(total_tokens) as total_tokens, sum(prompt_cost) as prompt_cost, sum(completion_cost) as completion_cost,
      sum(total_cost) as total_cost
    from (
      select r.has_error, r.start_time, l.*,
        extract(epoch from r.end_time - least(r.start_time, r.end_time))::float8 as seconds,
        extract(epoch from l.first - least(r.start_time, l.first))::float8 as first_token_seconds
      from traces.runs r cross join lateral (
        select min(c.first_token_time) as first,
          sum(c.prompt_tokens) filter (where c.run_type in ('llm', 'embedding')) as prompt_tokens,
          sum(c.completion_tokens) filter (where c.run_type in ('llm', 'embedding')) as completion_tokens,
          sum(c.total_tokens) filter (where c.run_type in ('llm', 'embedding')) as total_tokens,
          sum(c.prompt_cost) filter (where c.run_type in ('llm', 'embedding')) as prompt_cost,
          sum(c.completion_cost) filter (where c.run_type in ('llm', 'embedding')) as completion_cost,
          sum(c.total_cost) as total_cost
        from traces.runs c where c.trace_id = r.trace_id and not exists (
          select from traces.runs o where o.trace_id = c.trace_id and o.run_type = 'llm'
            and (o.total_tokens > 0 or o.total_cost > 0) and strpos(c.dotted_order, o.run_id || '.') > 0)
      ) l where r.session_id = s.id and r.is_root
    ) roots
  ) r where s.deleted_at is null order by s.id`;

type Numbers = Readonly<Record<string, number | string | null>>;
const percentiles = new Set(['latency_p50', 'latency_p99', 'first_token_p50', 'first_token_p99']);

function isAsCounted(name: string, { found, value }: Record<'found' | 'value', unknown>): boolean {
  if (found === null || value === null) return found === value;
  if (percentiles.has(name)) return Math.abs(Number(found) - Number(value)) <= Number(value) * 0.01 + 1e-6;
  return name.endsWith('_cost') ? Number(found) === Number(value) : found === value;
}

/** The differences between the stored runs and their rollups and search rows, once these have caught up. */
export async function driftOf(db: Database): Promise<unknown[]> {
  await using digest = startDigest({ db, log: silentLog, onDigested: async () => undefined });
  await digest.caughtUp(WORKSPACE);
  const rows = await db.query<Numbers & { id: string }>(counted);
  const session_ids = rows.map(({ id }) => id);
  const stats = await readSessionStats(db, { workspace_id: WORKSPACE, session_ids });
  const miscounted = rows.flatMap(({ id, ...row }) => {
    const found = stats.get(id) as unknown as Numbers;
    return Object.entries(row)
      .map(([name, value]) => ({ name, value, found: found[name] ?? null }))
      .filter(({ name, ...one }) => !isAsCounted(name, one));
  });
  const pending = await db.query('select * from traces.changes');
  const left = await db.query('select * from traces.rollups where session_id <> all ($1::uuid[])', [
    session_ids,
  ]);
  const unfound =
    await db.query(`select run_id, x.trace_id, r.trace_id as is_in from traces.search x full join traces.runs r using (run_id, tier, week)
      where x.run_id is null or r.run_id is null or x.trace_id <> r.trace_id or x.session_id <> r.session_id`);
  const uneven = await db.query(`select session_id from traces.rollups group by session_id having
      sum(run_count) filter (where day = '${ALL_TIME}') <> sum(run_count) filter (where day > '${ALL_TIME}')
      or sum(total_cost) filter (where day = '${ALL_TIME}') <> sum(total_cost) filter (where day > '${ALL_TIME}')`);
  return [...miscounted, ...pending, ...left, ...unfound, ...uneven];
}
