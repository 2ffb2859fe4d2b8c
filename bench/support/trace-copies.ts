import { type Database, nowLocked, openDatabase } from '../../packages/postgres/src/index.ts';
import { changesOf, type RootCount } from '../../packages/observability/src/digest/rollup-rules.ts';
import { addToRollups } from '../../packages/observability/src/digest/rollup-store.ts';
import { timeTerms } from '../../packages/observability/src/search/term-rules.ts';
import { ensurePartition } from '../../packages/observability/src/partitions/partition-store.ts';
import { type PartitionKey, weekOf } from '../../packages/observability/src/partitions/week-rules.ts';

/**
 * Makes many traces out of few, within the database: to send a million runs takes longer than all that is asked of them.
 * The few come by the API and are digested, so that their rows are what rows are; each copy has ids and times of its
 * own, and its own terms where few runs have a term. Rollups are added up as the digest does it. The inverted indexes are
 * built at the end: that is the one step which ingestion takes otherwise.
 */

const HOUR_MS = 3_600_000;
/** The hours whose terms are made: all that a copy may lie in. */
const HOURS = 24 * 14;
/** Terms of fewer runs are taken to name one user, request or message, and differ in each copy. */
const RARE = 200;
const tables = ['runs', 'payloads', 'search', 'traces', 'feedback'] as const;

/** What a column is in the copy `$1`, which is `$2` older and lies in the week `$3`; others stay as they are. */
const changed: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['run_id', 'trace_id', 'parent_run_id', 'feedback_id'].map((name) => [name, `bench_id(${name}, $1)`]),
  ),
  ...Object.fromEntries(
    ['start_time', 'end_time', 'first_token_time', 'received_at', 'created_at', 'modified_at'].map((name) => [
      name,
      `${name} - $2::interval`,
    ]),
  ),
  dotted_order: `(select string_agg(left(one, -36) || bench_id(right(one, 36)::uuid, $1), '.')
    from string_to_table(dotted_order, '.') one)`,
  thread_id: `thread_id || '-' || $1`,
  week: '$3::date',
  terms: `common || array(select u.term # ($1::bigint << 40) from unnest(rare) as u(term)) ||
    (select terms from bench_hours where hour = date_trunc('hour', start_time - $2::interval))`,
  counted: `jsonb_set(counted, '{day}', to_jsonb(((start_time - $2::interval) at time zone 'utc')::date::text))`,
};

export async function copyTraces(
  url: string,
  { copies, older_ms }: { readonly copies: number; readonly older_ms: number },
): Promise<void> {
  await using db = openDatabase({ url, max: 1, name: 'bench', limit_ms: HOUR_MS, schema: 'traces' });
  await prepare(db);
  for (let copy = 1; copy <= copies; copy += 1) {
    const week = weekOf(Date.now() - copy * older_ms);
    await ensurePartition(db, { tier: 'shortlived', week });
    for (const table of tables) {
      const columns = await columnsOf(db, table);
      await db.run(
        `insert into ${table} (${columns.join(', ')}) select ${columns.map((name) => changed[name] ?? name).join(', ')}
         from bench_${table} where $1::int > 0 and $2::interval is not null and $3::date is not null`,
        [copy, `${copy * older_ms} ms`, week],
      );
    }
  }
  await db.run(`
    drop table ${tables.map((table) => `bench_${table}`).join(', ')}, bench_hours;
    set maintenance_work_mem = '1GB';
    create index search_found on search using gin (terms, words)`);
  await rollUp(db);
  await db.run('vacuum analyze');
  await db.run('checkpoint');
}

async function prepare(db: Database): Promise<void> {
  const hours = Array.from({ length: HOURS }, (_, at) => new Date(Date.now() - at * HOUR_MS).toISOString());
  await db.run('create table bench_hours (hour timestamptz primary key, terms bigint[] not null)');
  await db.run(
    `insert into bench_hours select (hour || ':00:00Z')::timestamptz, terms::bigint[]
     from unnest($1::text[], $2::text[]) as u(hour, terms)`,
    [hours.map((hour) => hour.slice(0, 13)), hours.map((hour) => `{${timeTerms(hour).join(',')}}`)],
  );
  await db.run(`
    create function bench_id(id uuid, copy integer) returns uuid language sql immutable as
      $$ select md5(id::text || copy)::uuid $$;
    ${tables.map((table) => `create table bench_${table} as select * from ${table};`).join('\n')}
    create temporary table times as select distinct unnest(terms) as term from bench_hours;
    create temporary table rare as select term from (select unnest(terms) as term from search) t
      group by term having count(*) < ${RARE} and term not in (select * from times);
    create unique index on rare (term);
    analyze rare;
    alter table bench_search add column common bigint[], add column rare bigint[];
    update bench_search set
      common = array(select u.term from unnest(terms) as u(term)
        where not exists (select from rare r where r.term = u.term) and u.term not in (select * from times)),
      rare = array(select u.term from unnest(terms) as u(term) where exists (select from rare r where r.term = u.term));
    drop index search_found;`);
}

async function columnsOf(db: Database, table: string): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    `select attname as name from pg_attribute
     where attrelid = $1::text::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
    [table],
  );
  return rows.map((row) => row.name);
}

async function rollUp(db: Database): Promise<void> {
  await db.run('truncate rollups');
  const roots = await db.query<PartitionKey & { workspace_id: string; counted: RootCount }>(
    'select workspace_id, tier, week, counted from search where counted is not null',
  );
  const partitions = Map.groupBy(roots, (root) => `${root.workspace_id}/${root.tier}/${root.week}`);
  for (const [first, ...others] of partitions.values()) {
    if (first === undefined) continue;
    const changes = changesOf([first, ...others].map(({ counted }) => ({ was: null, is: counted })));
    await db.transaction(async (tx) => addToRollups(nowLocked<'digest'>(tx), first, { changes }));
  }
}
