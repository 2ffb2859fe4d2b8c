import type { UnderLock } from '@roadstead/postgres';
import type { PartitionKey } from '../partitions/week-rules.ts';
import type { SearchEntry } from '../search/search-entry.ts';
import type { RootCount, RootFacts } from './rollup-rules.ts';

/** The rows in which filters look, one for each digested run, and how the roots among them are counted. */

export interface WorkspacePartition extends PartitionKey {
  readonly workspace_id: string;
}

/** A run that is a root or was counted as one. */
export interface CountedRoot {
  readonly run_id: string;
  /** Its present count; null where it isn't counted. */
  readonly was: RootCount | null;
  /** Whether it has a search row yet. */
  readonly is_digested: boolean;
  /** Its present facts; null where it isn't a root, or is gone. */
  readonly root: RootFacts | null;
}

/** `RootFacts` of the root `r`, beside which `besideRoot` stands. */
export const rootFacts = `json_build_object(
  'session_id', r.session_id, 'day', (r.start_time at time zone 'utc')::date, 'has_error', r.has_error,
  'seconds', extract(epoch from r.end_time - least(r.start_time, r.end_time))::float8,
  'first_token_seconds', extract(epoch from f.time - least(r.start_time, f.time))::float8,
  'prompt_tokens', coalesce(t.prompt_tokens, 0), 'completion_tokens', coalesce(t.completion_tokens, 0),
  'total_tokens', coalesce(t.total_tokens, 0), 'prompt_cost', t.prompt_cost::text,
  'completion_cost', t.completion_cost::text, 'total_cost', t.total_cost::text)`;
export const besideRoot = `
  left join lateral (
    select * from traces.traces where trace_id = r.trace_id and workspace_id = r.workspace_id offset 0
  ) t on true
  cross join lateral (select coalesce(t.first_token_time, r.first_token_time) as time) f`;

/**
 * Reads the roots among these runs, and those of the traces that they are or were in. Tokens and costs are those of
 * the whole trace. Each is looked up by itself: in tables that grow fast Postgres mistakes few rows for many, and
 * would read them whole.
 */
export async function readRoots(
  tx: UnderLock<'digest'>,
  { workspace_id, tier, week }: WorkspacePartition,
  { run_ids }: { readonly run_ids: readonly string[] },
): Promise<CountedRoot[]> {
  return tx.query<CountedRoot>(
    `select i.run_id, x.counted as was, x.run_id is not null as is_digested,
       case when r.run_id is not null and t.deletion_id is null then ${rootFacts} end as root
     from (
       select unnest($4::uuid[]) union select trace_id from traces.search
       where workspace_id = $1 and tier = $2 and week = $3 and run_id = any ($4::uuid[])
     ) as i(run_id)
     left join lateral (
       select run_id, counted from traces.search
       where run_id = i.run_id and workspace_id = $1 and tier = $2 and week = $3 offset 0
     ) x on true
     left join lateral (
       select * from traces.runs
       where run_id = i.run_id and workspace_id = $1 and tier = $2 and week = $3 and is_root offset 0
     ) r on true
     ${besideRoot}
     where r.run_id is not null or x.counted is not null`,
    [workspace_id, tier, week, run_ids],
  );
}

export async function removeSearchRows(
  tx: UnderLock<'digest'>,
  { workspace_id, tier, week }: WorkspacePartition,
  { run_ids }: { readonly run_ids: readonly string[] },
): Promise<void> {
  if (run_ids.length === 0) return;
  await tx.run(
    'delete from traces.search where workspace_id = $1 and tier = $2 and week = $3 and run_id = any ($4::uuid[])',
    [workspace_id, tier, week, run_ids],
  );
}

export interface SearchRow extends SearchEntry {
  readonly run_id: string;
  readonly trace_id: string;
  readonly session_id: string;
  readonly start_time: string;
  readonly counted: RootCount | null;
}

/** The rows of one statement, which are prepared in one turn of the event loop. */
const ROWS_AT_ONCE = 100;

/** Writes rows of one partition over the existing ones. */
export async function upsertSearchRows(
  tx: UnderLock<'digest'>,
  partition: WorkspacePartition,
  { rows }: { readonly rows: readonly SearchRow[] },
): Promise<void> {
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE)
    await upsertSome(tx, partition, rows.slice(from, from + ROWS_AT_ONCE));
}

const cut = (column: string) =>
  `convert_from(substring($9::bytea from u.${column}_at for u.${column}_length), 'UTF8')`;
const texts = ['terms', 'metadata', 'io', 'words'] as const;
const upsert = `
  insert into traces.search (workspace_id, tier, week, run_id, trace_id, session_id, start_time, counted, terms,
    metadata, io, words)
  select $1::uuid, $2::text, $3::date, run_id, trace_id, session_id, start_time, counted::jsonb,
    ${cut('terms')}::bigint[], ${cut('metadata')}::jsonb, ${cut('io')}::jsonb, ${cut('words')}::tsvector
  from unnest($4::uuid[], $5::uuid[], $6::uuid[], $7::timestamptz[], $8::text[],
    ${texts.map((_, index) => `$${10 + 2 * index}::int[], $${11 + 2 * index}::int[]`).join(', ')})
    as u(run_id, trace_id, session_id, start_time, counted,
    ${texts.map((name) => `${name}_at, ${name}_length`).join(', ')})
  on conflict (run_id, workspace_id, tier, week) do update set trace_id = excluded.trace_id,
    session_id = excluded.session_id, start_time = excluded.start_time, counted = excluded.counted,
    terms = excluded.terms, metadata = excluded.metadata, io = excluded.io, words = excluded.words`;

/**
 * Sends one array for each column, which costs half as much as JSON. Texts travel as bytes that the server cuts up:
 * in an array each quote in them would be escaped here and parsed again there.
 */
async function upsertSome(
  tx: UnderLock<'digest'>,
  { workspace_id, tier, week }: WorkspacePartition,
  rows: readonly SearchRow[],
): Promise<void> {
  const chunks: Buffer[] = [];
  let length = 0;
  const ranges = texts.map(() => ({ at: [] as number[], length: [] as number[] }));
  for (const row of rows) {
    const written = [
      `{${row.terms.join(',')}}`,
      JSON.stringify(row.metadata),
      JSON.stringify(row.io),
      String(row.words),
    ];
    for (const [index, text] of written.entries()) {
      const bytes = Buffer.from(text);
      ranges[index]?.at.push(length + 1);
      ranges[index]?.length.push(bytes.length);
      chunks.push(bytes);
      length += bytes.length;
    }
  }
  await tx.run(upsert, [
    workspace_id,
    tier,
    week,
    rows.map((row) => row.run_id),
    rows.map((row) => row.trace_id),
    rows.map((row) => row.session_id),
    rows.map((row) => row.start_time),
    rows.map((row) => (row.counted === null ? null : JSON.stringify(row.counted))),
    Buffer.concat(chunks),
    ...ranges.flatMap((range) => [range.at, range.length]),
  ]);
}

/** The classes of errors with which Postgres refuses a value: an invalid one, a constraint, a limit of its own. */
const refusal = /^(?:22|23|54)/;

/**
 * Writes rows like `upsertSearchRows`; where Postgres refuses one of them, no row is written.
 * @returns the code of its error.
 */
export async function tryUpsertSearchRows(
  tx: UnderLock<'digest'>,
  partition: WorkspacePartition,
  { rows }: { readonly rows: readonly SearchRow[] },
): Promise<string | undefined> {
  await tx.run('savepoint search_rows');
  try {
    await upsertSearchRows(tx, partition, { rows });
    await tx.run('release savepoint search_rows');
    return undefined;
  } catch (error) {
    const { code = '' } = error as { readonly code?: string };
    if (!refusal.test(code)) throw error;
    await tx.run('rollback to savepoint search_rows');
    return code;
  }
}

/** Records the counts of roots whose own rows stay as they are. */
export async function updateCounted(
  tx: UnderLock<'digest'>,
  { workspace_id, tier, week }: WorkspacePartition,
  { roots }: { readonly roots: readonly { readonly run_id: string; readonly counted: RootCount | null }[] },
): Promise<void> {
  if (roots.length === 0) return;
  await tx.run(
    `update traces.search x set counted = j.counted
     from json_to_recordset($4::text::json) as j(run_id uuid, counted jsonb)
     where x.workspace_id = $1 and x.tier = $2 and x.week = $3 and x.run_id = j.run_id`,
    [workspace_id, tier, week, JSON.stringify(roots)],
  );
}
