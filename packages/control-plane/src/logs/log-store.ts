import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import {
  type Database,
  type UnderLock,
  nowLocked,
  type Queryable,
  type Transaction,
} from '@roadstead/postgres';
import type { LogId } from '../context/context.ts';
import { levelsFrom, type LineFilter, type LogPosition, quotas, trimTo } from './log-rules.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

export interface StoredLine {
  readonly at: string;
  readonly level: string;
  readonly message: string;
}

export interface NewChunk {
  readonly deployment_id: string;
  readonly revision_id: string;
  readonly kind: LogId['kind'];
  readonly writer: string;
  readonly seq: number;
  readonly lines: readonly StoredLine[];
}

/** Stores a chunk once, and drops the oldest where the log exceeds its quota. */
export async function appendLogs(
  db: Database,
  chunk: NewChunk & {
    /** May refuse the chunk, within the transaction. */
    readonly check?: (tx: Transaction) => Promise<void>;
  },
): Promise<void> {
  if (chunk.lines.length === 0) return;
  const text = Buffer.from(JSON.stringify(chunk.lines));
  const body = await compress(text);
  const times = chunk.lines.map((line) => Date.parse(line.at));
  const of_id = chunk.kind === 'build' ? chunk.revision_id : chunk.deployment_id;
  const log = { deployment_id: chunk.deployment_id, kind: chunk.kind, of_id };
  await db.transaction(async (tx) => {
    await chunk.check?.(tx);
    const { held, total } = await lockLog(tx, log);
    const inserted = await tx.run(
      `insert into log_chunks (deployment_id, revision_id, kind, of_id, writer, seq, lines, bytes, body,
         first_at, last_at, levels)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, to_timestamp($10), to_timestamp($11), $12) on conflict (revision_id, kind, writer, seq) do nothing`,
      [
        chunk.deployment_id,
        chunk.revision_id,
        chunk.kind,
        of_id,
        chunk.writer,
        chunk.seq,
        chunk.lines.length,
        text.length,
        body,
        Math.min(...times) / 1000,
        Math.max(...times) / 1000,
        [...new Set(chunk.lines.map((line) => line.level))],
      ],
    );
    if (inserted === 0) return;
    const after = total + text.length;
    const dropped =
      after > quotas[chunk.kind] ? await dropOldest(held, { ...log, keep_bytes: trimTo(chunk.kind) }) : 0;
    await tx.run('update logs set bytes = $3 where of_id = $1 and kind = $2', [
      of_id,
      chunk.kind,
      after - dropped,
    ]);
  });
}

interface LogName {
  readonly deployment_id: string;
  readonly kind: LogId['kind'];
  readonly of_id: string;
}

/**
 * Locks the log until the commit, and for a build's log those of the deployment's other revisions: chunks are
 * numbered in the order in which they become visible. Answers its bytes.
 */
async function lockLog(
  tx: Transaction,
  { deployment_id, kind, of_id }: LogName,
): Promise<{ readonly held: UnderLock<'log'>; readonly total: number }> {
  await tx.run(`select pg_advisory_xact_lock(hashtextextended('roadstead.control.logs ' || $1 || $2, 0))`, [
    deployment_id,
    kind,
  ]);
  const row = await tx.one<{ bytes: number }>(
    `insert into logs (deployment_id, kind, of_id, bytes) values ($1, $2, $3, 0)
     on conflict (of_id, kind) do update set bytes = logs.bytes returning bytes`,
    [deployment_id, kind, of_id],
  );
  return { held: nowLocked(tx), total: row.bytes };
}

/** Keeps the newest chunks that fit into `keep_bytes`, and the newest one in any case; answers the bytes dropped. */
async function dropOldest(
  tx: UnderLock<'log'>,
  { deployment_id, kind, of_id, keep_bytes }: LogName & { readonly keep_bytes: number },
): Promise<number> {
  const row = await tx.one<{ dropped: number }>(
    `with sized as (
       select id, sum(bytes) over (order by id desc) as size, row_number() over (order by id desc) as age
       from log_chunks where deployment_id = $1 and kind = $2 and of_id = $3
     ), dropped as (
       delete from log_chunks where id in (select id from sized where size > $4 and age > 1) returning bytes
     )
     select coalesce(sum(bytes), 0)::bigint as dropped from dropped`,
    [deployment_id, kind, of_id, keep_bytes],
  );
  return row.dropped;
}

export interface ChunkOf {
  readonly deployment_id: string;
  /** Undefined: logs of all revisions. */
  readonly revision_id: string | undefined;
  readonly kind: LogId['kind'];
}

interface ReadChunk {
  readonly id: number;
  /** The size before compression. */
  readonly bytes: number;
  readonly lines: readonly StoredLine[];
}

/** The newest chunk of each log that has one. */
export async function listNewest(
  db: Queryable,
  logs: readonly LogId[],
): Promise<(LogId & { readonly newest: number })[]> {
  return db.query(
    `select l.deployment_id, l.kind, newest.id as newest
     from unnest($1::uuid[], $2::text[]) as l(deployment_id, kind), lateral (
       select max(c.id) as id from log_chunks c where c.deployment_id = l.deployment_id and c.kind = l.kind
     ) newest where newest.id is not null`,
    [logs.map((one) => one.deployment_id), logs.map((one) => one.kind)],
  );
}

const CHUNKS_AT_ONCE = 20;

export interface ChunkList {
  readonly chunks: readonly ReadChunk[];
  /** Whether there are no more behind them. */
  readonly is_last: boolean;
}

/**
 * Some chunks that may hold matching lines, in the requested order, beginning with the one of the position: as few as
 * hold `lines` lines, since each is unpacked as a whole.
 */
export async function listChunks(
  db: Queryable,
  of: ChunkOf,
  from: {
    readonly position: LogPosition | undefined;
    readonly order: 'asc' | 'desc';
    readonly filter: LineFilter;
    readonly lines: number;
  },
): Promise<ChunkList> {
  const [compare, order] = from.order === 'asc' ? ['>=', 'asc'] : ['<=', 'desc'];
  const left = from.order === 'asc' ? 'greatest(lines - 1 - $8::integer, 0)' : 'least(lines, $8::integer)';
  const { level, start_time, end_time } = from.filter;
  const rows = await db.query<{ id: number; bytes: number; body: Buffer; behind: number }>(
    `with found as (
       select id, bytes, body, case when id = $4 then ${left} else lines end as left_lines from log_chunks
       where deployment_id = $1 and kind = $2 and ($3::uuid is null or revision_id = $3)
         and ($4::bigint is null or id ${compare} $4)
         and ($5::text[] is null or levels is null or levels && $5)
         and ($6::timestamptz is null or last_at is null or last_at >= $6)
         and ($7::timestamptz is null or first_at is null or first_at < $7)
       order by id ${order} limit ${CHUNKS_AT_ONCE}
     ), counted as (
       select *, sum(left_lines) over (order by id ${order}) - left_lines as before_it,
         count(*) over () - row_number() over (order by id ${order}) as behind
       from found
     )
     select id, bytes, body, behind from counted where before_it < $9 order by id ${order}`,
    [
      of.deployment_id,
      of.kind,
      of.revision_id ?? null,
      from.position?.chunk_id ?? null,
      level === undefined ? null : levelsFrom(level),
      start_time ?? null,
      end_time ?? null,
      from.position?.index ?? null,
      from.lines,
    ],
  );
  const last = rows.at(-1);
  const chunks = await Promise.all(
    rows.map(async ({ id, bytes, body }) => ({
      id,
      bytes,
      lines: JSON.parse((await decompress(body)).toString('utf8')) as StoredLine[],
    })),
  );
  return { chunks, is_last: last === undefined || (last.behind === 0 && rows.length < CHUNKS_AT_ONCE) };
}
