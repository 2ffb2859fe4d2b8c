import type { Queryable } from '@roadstead/postgres';

/** Addresses that sign a browser in, found by a hash of their code. */

interface LinkSubject {
  readonly subject: string;
  readonly subject_version: number;
}

export async function insertSignInLink(
  db: Queryable,
  link: LinkSubject & { readonly hash: Buffer; readonly lifetime_s: number },
): Promise<{ readonly expires_at: string }> {
  return db.one(
    `insert into sign_in_links (hash, subject, subject_version, expires_at)
     values ($1, $2, $3, now() + make_interval(secs => $4)) returning expires_at`,
    [link.hash, link.subject, link.subject_version, link.lifetime_s],
  );
}

export type LinkState = 'open' | 'used' | 'over';

export async function findSignInLink(
  db: Queryable,
  hash: Buffer,
): Promise<(LinkSubject & { readonly state: LinkState }) | undefined> {
  return db.maybe(
    `select subject, subject_version,
       case when used_at is not null then 'used' when expires_at <= now() then 'over' else 'open' end as state
     from sign_in_links where hash = $1`,
    [hash],
  );
}

/** Uses it up. False where somebody was faster. */
export async function spendSignInLink(db: Queryable, hash: Buffer): Promise<boolean> {
  const spent = await db.run(
    'update sign_in_links set used_at = now() where hash = $1 and used_at is null and expires_at > now()',
    [hash],
  );
  return spent === 1;
}

/** Links stay a day longer than they are good, so that a late browser learns why. */
export async function deleteOldSignInLinks(db: Queryable): Promise<number> {
  return db.run(`delete from sign_in_links where expires_at < now() - interval '1 day'`);
}
