import type { Queryable } from '@roadstead/postgres';

/** Short-lived records of the library, each found by a hash. */

interface RecordKey {
  readonly kind: string;
  readonly hash: Buffer;
}

export interface RecordRow {
  readonly hash: Buffer;
  readonly sealed: string;
  readonly consumed_at: string | null;
  /** Whether it was consumed so recently that the same answer may be given again. */
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
/** Takes the parameters that `valuesOf` makes. */
const insert = `insert into oauth_records (kind, hash, sealed, grant_id, user_code_hash, expires_at)
  select $1, $2, $3, $4::uuid, $5::bytea, now() + make_interval(secs => $6)`;
/** How long the answer to a refresh is repeated. */
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

/** Replaces one refresh token with another and stores the answer. False where the token was used before. */
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

/** The answer that the token got when it was used; undefined once that time, or its grant, has ended. */
export async function findRotationAnswer(db: Queryable, used: Buffer): Promise<string | undefined> {
  const row = await db.maybe<{ answer: string | null }>(
    `select answer from oauth_records where kind = 'RefreshToken' and hash = $1`,
    [used],
  );
  return row?.answer ?? undefined;
}

/** Forgets the answers that may not be repeated any more. */
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

/** Records stay an hour longer than they are valid, so that a late client learns that its code has expired. */
export async function deleteExpiredRecords(db: Queryable): Promise<number> {
  return db.run(`delete from oauth_records where expires_at < now() - interval '1 hour'`);
}
