import type { Role, Scope } from '@roadstead/contracts';
import type { User } from '@roadstead/contracts/identity';
import { Problem, uuidv7 } from '@roadstead/kit';
import type { Database, Transaction } from '@roadstead/postgres';
import { type Caller, lockMaker, type RecordChange } from '../credentials/credentials.ts';
import { handOn, isInSight, refuseBeyond } from '../handing-on/handing-on-rules.ts';
import { hashPassword } from './password.ts';
import { keptName, scopesIn } from './user-rules.ts';
import { deleteUser, findUserOf, insertUser, updateUser } from '../records/user-store.ts';

export interface NewUser {
  readonly caller: Caller;
  readonly name: string;
  readonly password: string;
  readonly scopes?: readonly Scope[] | undefined;
  readonly role?: Role | undefined;
  readonly subject?: string | null | undefined;
}

export async function createUser(
  db: Database,
  { caller, name, password: plain, subject, ...asked }: NewUser,
): Promise<User> {
  const scopes = scopesIn(asked);
  if (scopes === undefined) throw new Problem('invalid', 'scopes or role is missing: name one of them.');
  // The password is hashed before the transaction, since a hash takes its time.
  const password = await hashPassword(plain);
  const user = await db.transaction(async (tx) => {
    const reach = handOn('user', await lockMaker(tx, caller), { subject, scopes });
    return insertUser(tx, { ...reach, id: uuidv7(), name: keptName(name), password });
  });
  if (user === undefined) throw new Problem('conflict', 'The workspace has a user of this name already.');
  return user;
}

export interface ChangedUser extends RecordChange {
  readonly password?: string | undefined;
  readonly scopes?: readonly Scope[] | undefined;
  readonly role?: Role | undefined;
}

export async function changeUser(db: Database, asked: ChangedUser): Promise<User> {
  const scopes = scopesIn(asked);
  const password = asked.password === undefined ? undefined : await hashPassword(asked.password);
  return db.transaction(async (tx) => {
    const { maker, user } = await lockUser(tx, asked);
    if (password !== undefined && user.password === null)
      throw new Problem('invalid', 'This user signs in at the company, and has no password here.');
    refuseBeyond(maker, { ...user, scopes: [...user.scopes, ...(scopes ?? [])] });
    return updateUser(tx, { id: user.id, password, scopes });
  });
}

export async function endUser(db: Database, change: RecordChange): Promise<void> {
  await db.transaction(async (tx) => {
    const { maker, user } = await lockUser(tx, change);
    refuseBeyond(maker, { ...user, scopes: [] });
    await deleteUser(tx, user);
  });
}

/** A bound caller changes and ends only users who are bound in the same way. */
async function lockUser(tx: Transaction, { caller, id }: RecordChange) {
  const maker = await lockMaker(tx, caller, `user:${id}`);
  const user = await findUserOf(tx, { id, workspace_id: maker.workspace_id });
  if (user === undefined || !isInSight(maker, user)) throw new Problem('not_found', 'There is no such user.');
  return { maker, user };
}
