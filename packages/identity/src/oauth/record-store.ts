import type { Queryable } from '@roadstead/kit';

/** What the library keeps for a while, each found by a hash. */

interface RecordKey {
  readonly kind: string;
  readonly hash: Buffer;
}

export interface RecordRow {
  readonly hash: Buffer;
  readonly sealed: string;
  readonly consumed_at: string | null;
  /** Consumed, but so recently that it may be given the same answer again. */
  readonly is_repeatable: boolean;
}

export interface NewRecord extends RecordKey {
  readonly sealed: string;
  readonly grant_id: string | undefined;
  readonly user_code_hash: Buffer | undefined;
  readonly expires_in_s: number;
}

const valuesOf = (record: NewRecord) => [
  record.kind,
  record.hash,
  record.sealed,
  record.grant_id ?? null,
  record.user_code_hash ?? null,
  record.expires_in_s,
];
/** By `valuesOf`. */
const insert = `insert into oauth_records (kind, hash, sealed, grant_id, user_code_hash, expires_at)
  select $1, $2, $3, $4::uuid, $5::bytea, now() + make_interval(secs => $6)`;
/** How long the answer to a refresh is given again. */
const REPEATED = `interval '60 seconds'`;
const columns = `hash, sealed, consumed_at, coalesce(consumed_at > now() - ${REPEATED}, false) as is_repeatable`;

export async function upsertRecord(db: Queryable, record: NewRecord): Promise<void> {
  await db.run(
    `${insert}
     on conflict (kind, hash) do update set sealed = excluded.sealed, grant_id = excluded.grant_id,
       user_code_hash = excluded.user_code_hash, expires_at = excluded.expires_at`,
    valuesOf(record),
  );
}

/** One refresh token takes the place of another, together with what was answered. False where it was used before. */
export async function rotateRecord(
  db: Queryable,
  { used, fresh, answer }: { readonly used: Buffer; readonly fresh: NewRecord; readonly answer: string },
): Promise<boolean> {
  const rows = await db.run(
    `with used as (
       update oauth_records set consumed_at = now(), answer = $8
       where kind = $1 and hash = $7 and consumed_at is null returning hash
     ) ${insert} where exists (select from used)`,
    [...valuesOf(fresh), used, answer],
  );
  return rows === 1;
}

/** What was answered when it was used; undefined where that is over, or its grant is. */
export async function findRotationAnswer(db: Queryable, used: Buffer): Promise<string | undefined> {
  const row = await db.maybe<{ answer: string | null }>(
    `select answer from oauth_records where kind = 'RefreshToken' and hash = $1`,
    [used],
  );
  return row?.answer ?? undefined;
}

/** Of those that may not be given any more. */
export async function forgetAnswers(db: Queryable): Promise<number> {
  return db.run(
    `update oauth_records set answer = null where answer is not null and consumed_at < now() - ${REPEATED}`,
  );
}

export async function findRecord(db: Queryable, { kind, hash }: RecordKey): Promise<RecordRow | undefined> {
  return db.maybe<RecordRow>(`select ${columns} from oauth_records where kind = $1 and hash = $2`, [
    kind,
    hash,
  ]);
}

export async function findRecordByUserCode(db: Queryable, hash: Buffer): Promise<RecordRow | undefined> {
  return db.maybe<RecordRow>(`select ${columns} from oauth_records where user_code_hash = $1`, [hash]);
}

/** False where somebody consumed it before. */
export async function consumeRecord(db: Queryable, { kind, hash }: RecordKey): Promise<boolean> {
  const touched = await db.run(
    'update oauth_records set consumed_at = now() where kind = $1 and hash = $2 and consumed_at is null',
    [kind, hash],
  );
  return touched === 1;
}

export async function deleteRecord(db: Queryable, { kind, hash }: RecordKey): Promise<void> {
  await db.run('delete from oauth_records where kind = $1 and hash = $2', [kind, hash]);
}

/** An hour longer than they are good, so that whoever comes late is told so. */
export async function deleteExpiredRecords(db: Queryable): Promise<number> {
  return db.run(`delete from oauth_records where expires_at < now() - interval '1 hour'`);
}
