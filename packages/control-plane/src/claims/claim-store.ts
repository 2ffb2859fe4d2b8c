import { keepRenewing } from '@roadstead/kit';
import type { Queryable, Transaction } from '@roadstead/postgres';

/** A name has one owner at a time, by the database's clock: several instances divide their work by it. */
export interface Claim extends AsyncDisposable {
  readonly name: string;
  readonly owner: string;
  /** Grows with every new holder. */
  readonly token: number;
}

/** The work of a killed owner waits this long. */
const CLAIM_S = 15;
const RENEWAL_MS = 5000;

/**
 * Renewed until it is disposed of, which releases it. Undefined when somebody else holds it.
 * @param claim.owner An instance, as a uuid.
 */
export async function takeClaim(
  db: Queryable,
  { name, owner }: Pick<Claim, 'name' | 'owner'>,
): Promise<Claim | undefined> {
  const taken = await db.maybe<{ token: number }>(
    `insert into claims as held (name, owner, token, until)
     values ($1, $2, 1, now() + make_interval(secs => $3))
     on conflict (name) do update set owner = excluded.owner, until = excluded.until, token = held.token + 1
       where held.until <= now()
     returning token`,
    [name, owner, CLAIM_S],
  );
  if (taken === undefined) return undefined;
  const { token } = taken;
  const extend = async (for_s: number) => {
    await db.run(
      `update claims set until = now() + make_interval(secs => $4)
       where name = $1 and owner = $2 and token = $3 and until > now()`,
      [name, owner, token, for_s],
    );
  };
  // What could not be renewed runs out, and whoever acts by it is told so.
  const renewal = keepRenewing(() => extend(CLAIM_S), { every_ms: RENEWAL_MS });
  return {
    name,
    owner,
    token,
    [Symbol.asyncDispose]: async () => {
      await renewal[Symbol.asyncDispose]();
      // The row stays, so that tokens keep growing.
      await extend(0);
    },
  };
}

/** Answers whether it is still ours; within a transaction it stays so until the end. */
export async function holdsClaim(tx: Transaction, { name, owner, token }: Claim): Promise<boolean> {
  const row = await tx.maybe(
    'select name from claims where name = $1 and owner = $2 and token = $3 and until > now() for update',
    [name, owner, token],
  );
  return row !== undefined;
}

/** Removes claims of things that are long gone. */
export async function removeOldClaims(db: Queryable): Promise<void> {
  await db.run(`delete from claims where until < now() - interval '1 day'`);
}
