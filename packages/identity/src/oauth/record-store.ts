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
}

export async function upsertRecord(
  db: Queryable,
  record: RecordKey & {
    readonly sealed: string;
    readonly grant_id: string | undefined;
    readonly user_code_hash: Buffer | undefined;
    readonly expires_in_s: number;
  },
): Promise<void> {
  await db.run(
    `insert into oauth_records (kind, hash, sealed, grant_id, user_code_hash, expires_at)
     values ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))
     on conflict (kind, hash) do update set sealed = excluded.sealed, grant_id = excluded.grant_id,
       user_code_hash = excluded.user_code_hash, expires_at = excluded.expires_at`,
    [
      record.kind,
      record.hash,
      record.sealed,
      record.grant_id ?? null,
      record.user_code_hash ?? null,
      record.expires_in_s,
    ],
  );
}

export async function findRecord(db: Queryable, { kind, hash }: RecordKey): Promise<RecordRow | undefined> {
  return db.maybe<RecordRow>(
    'select hash, sealed, consumed_at from oauth_records where kind = $1 and hash = $2',
    [kind, hash],
  );
}

export async function findRecordByUserCode(db: Queryable, hash: Buffer): Promise<RecordRow | undefined> {
  return db.maybe<RecordRow>(
    'select hash, sealed, consumed_at from oauth_records where user_code_hash = $1',
    [hash],
  );
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
