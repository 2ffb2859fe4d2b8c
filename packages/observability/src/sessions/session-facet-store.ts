import type { Queryable } from '@roadstead/postgres';
import type { Facet } from '../session-records/session-row.ts';
import type { SessionKey } from '../values/keys.ts';

/** The most frequent values among the newest runs of a project. */

/** The number of newest runs that are looked at. */
const LOOKED_AT = 2000;

const newest = (more: string) => `newest as materialized (
  select r.workspace_id, r.run_id, r.tier, r.week, r.name, r.run_type, r.tags, r.has_error from traces.runs r
  where r.session_id = $2 and r.workspace_id = $1 ${more} order by r.start_time desc, r.run_id desc limit ${LOOKED_AT})`;

const metadataOf = `newest r join traces.search x on x.run_id = r.run_id and x.workspace_id = r.workspace_id
  and x.tier = r.tier and x.week = r.week
  cross join lateral jsonb_each(x.metadata) e
  cross join lateral jsonb_array_elements_text(
    case jsonb_typeof(e.value) when 'array' then e.value else jsonb_build_array(e.value) end) v(value)`;

/** The most frequent values of each key of metadata. */
export async function listMetadataValues(
  db: Queryable,
  session: SessionKey,
  {
    keys,
    start_time,
    root_runs_only,
    count,
  }: {
    readonly keys: readonly string[] | undefined;
    readonly start_time: string | undefined;
    readonly root_runs_only: boolean;
    readonly count: number;
  },
): Promise<Facet[]> {
  const roots = root_runs_only ? 'and r.is_root' : '';
  return db.query<Facet>(
    `with ${newest(`and r.start_time >= coalesce($3::timestamptz, '-infinity') ${roots}`)}, counts as (
       select e.key, v.value, count(*) as n from ${metadataOf}
       where $4::text[] is null or e.key = any ($4::text[]) group by e.key, v.value
     )
     select key, value, n from (
       select *, row_number() over (partition by key order by n desc, value) as place from counts
     ) ranked where place <= $5 order by key, place`,
    [session.workspace_id, session.session_id, start_time ?? null, keys ?? null, count],
  );
}

/** The most frequent names, types, statuses, tags and metadata. */
export async function listFacets(
  db: Queryable,
  session: SessionKey,
  { count }: { readonly count: number },
): Promise<Facet[]> {
  return db.query<Facet>(
    `with ${newest('')}, said as (
       select 'name' as key, name as value from newest
       union all select 'run_type', run_type from newest
       union all select 'status', case when has_error then 'error' else 'success' end from newest
       union all select 'tag', tag from newest, unnest(tags) tag
       union all select 'metadata.' || e.key, v.value from ${metadataOf}
     ), counts as (select key, value, count(*) as n from said where value is not null group by key, value)
     select key, value, n from (
       select *, row_number() over (partition by key order by n desc, value) as place from counts
     ) ranked where place <= $3 order by key, place`,
    [session.workspace_id, session.session_id, count],
  );
}
