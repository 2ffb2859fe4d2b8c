import type { Queryable, Transaction } from '@roadstead/kit';

/** One owner at a time for a name, by the database's clock: several instances share their work by it. */
export interface Claim {
  readonly name: string;
  readonly owner: string;
  /** Grows with every holder. */
  readonly token: number;
}

/** Longer than any pass may take; a killed owner's work waits so long. */
const CLAIM_S = 60;

/** Undefined when somebody has it. @param claim.owner An instance, as a uuid. */
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

/** Whether it is still ours; in a transaction it stays so until the end. */
export async function holdsClaim(tx: Transaction, { name, owner, token }: Claim): Promise<boolean> {
  const row = await tx.maybe(
    'select name from claims where name = $1 and owner = $2 and token = $3 and until > now() for update',
    [name, owner, token],
  );
  return row !== undefined;
}

/** The row stays, so that tokens go on growing. */
export async function releaseClaim(db: Queryable, { name, owner, token }: Claim): Promise<void> {
  await db.run('update claims set until = now() where name = $1 and owner = $2 and token = $3', [
    name,
    owner,
    token,
  ]);
}

/** Of things that are long gone. */
export async function removeOldClaims(db: Queryable): Promise<void> {
  await db.run(`delete from claims where until < now() - interval '1 day'`);
}
