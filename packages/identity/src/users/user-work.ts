import type { Scope } from '@roadstead/contracts';
import type { User } from '@roadstead/contracts/identity';
import { type Database, Problem, uuidv7 } from '@roadstead/kit';
import { hashPassword } from './password.ts';
import { keptName, refuseBeyond } from './user-rules.ts';
import { insertUser, lockUser, updateUser } from './user-store.ts';

export interface NewUser {
  readonly workspace_id: string;
  readonly name: string;
  readonly password: string;
  readonly scopes: readonly Scope[];
}

export async function createUser(db: Database, { workspace_id, ...asked }: NewUser): Promise<User> {
  const user = await insertUser(db, {
    id: uuidv7(),
    workspace_id,
    name: keptName(asked.name),
    password: await hashPassword(asked.password),
    scopes: [...asked.scopes],
  });
  if (user === undefined) throw new Problem('conflict', 'The workspace has a user of this name already.');
  return user;
}

export interface UserChange {
  readonly id: string;
  readonly workspace_id: string;
  /** Of whoever asks. */
  readonly own: readonly Scope[];
  readonly password?: string | undefined;
  readonly scopes?: Scope[] | undefined;
}

export async function changeUser(db: Database, { own, ...asked }: UserChange): Promise<User> {
  // Before the transaction: a hash takes its time.
  const password = asked.password === undefined ? undefined : await hashPassword(asked.password);
  return db.transaction(async (tx) => {
    const user = await lockUser(tx, asked);
    if (user === undefined) throw new Problem('not_found', 'There is no such user.');
    refuseBeyond(own, [...user.scopes, ...(asked.scopes ?? [])]);
    return updateUser(tx, { id: user.id, password, scopes: asked.scopes });
  });
}
