import type { Queryable, Transaction } from '@roadstead/postgres';

/** A name has one owner at a time, by the database's clock: several instances divide their work by it. */
export interface Claim {
  readonly name: string;
  readonly owner: string;
  /** Grows with every new holder. */
  readonly token: number;
}

/** Longer than any pass may take; the work of a killed owner waits this long. */
const CLAIM_S = 60;

/**
 * Undefined when somebody else holds it.
 * @param claim.owner An instance, as a uuid.
 */
export async function takeClaim(
  db: Queryable,
  { name, owner }: Pick<Claim, 'name' | 'owner'>,
): Promise<Claim | undefined> {
  return db.maybe<Claim>(
    `insert into claims as held (name, owner, token, until)
     values ($1, $2, 1, now() + make_interval(secs => $3))
     on conflict (name) do update set owner = excluded.owner, until = excluded.until, token = held.token + 1
       where held.until <= now()
     returning name, owner, token`,
    [name, owner, CLAIM_S],
  );
}

/** Answers whether it is still ours; within a transaction it stays so until the end. */
export async function holdsClaim(tx: Transaction, { name, owner, token }: Claim): Promise<boolean> {
  const row = await tx.maybe(
    'select name from claims where name = $1 and owner = $2 and token = $3 and until > now() for update',
    [name, owner, token],
  );
  return row !== undefined;
}

/** The row stays, so that tokens keep growing. */
export async function releaseClaim(db: Queryable, { name, owner, token }: Claim): Promise<void> {
  await db.run('update claims set until = now() where name = $1 and owner = $2 and token = $3', [
    name,
    owner,
    token,
  ]);
}

/** Removes claims of things that are long gone. */
export async function removeOldClaims(db: Queryable): Promise<void> {
  await db.run(`delete from claims where until < now() - interval '1 day'`);
}
