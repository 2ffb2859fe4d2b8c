import type { Scope } from '@roadstead/contracts';
import type { User } from '@roadstead/contracts/identity';
import { type Database, Problem, uuidv7 } from '@roadstead/kit';
import { handOn, type Reach, refuseBeyond } from '../handing-on/handing-on-rules.ts';
import { hashPassword } from './password.ts';
import { keptName } from './user-rules.ts';
import { deleteUser, insertUser, lockUser, updateUser } from './user-store.ts';

export interface NewUser {
  readonly maker: Reach;
  readonly name: string;
  readonly password: string;
  readonly scopes: readonly Scope[];
  readonly subject?: string | null | undefined;
}

export async function createUser(db: Database, { maker, name, password, ...asked }: NewUser): Promise<User> {
  const reach = handOn('user', maker, asked);
  const user = await insertUser(db, {
    ...reach,
    id: uuidv7(),
    name: keptName(name),
    password: await hashPassword(password),
  });
  if (user === undefined) throw new Problem('conflict', 'The workspace has a user of this name already.');
  return user;
}

export interface UserChange {
  readonly id: string;
  /** Of whoever asks: nobody changes a user who reaches further. */
  readonly maker: Reach;
  readonly password?: string | undefined;
  readonly scopes?: Scope[] | undefined;
}

export async function changeUser(db: Database, { maker, ...asked }: UserChange): Promise<User> {
  // Before the transaction: a hash takes its time.
  const password = asked.password === undefined ? undefined : await hashPassword(asked.password);
  return db.transaction(async (tx) => {
    const user = await lockUser(tx, { id: asked.id, workspace_id: maker.workspace_id });
    if (user === undefined) throw new Problem('not_found', 'There is no such user.');
    refuseBeyond(maker, { ...user, scopes: [...user.scopes, ...(asked.scopes ?? [])] });
    return updateUser(tx, { id: user.id, password, scopes: asked.scopes });
  });
}

/** Whoever is bound ends only who is bound as they are. */
export async function endUser(db: Database, { id, maker }: Pick<UserChange, 'id' | 'maker'>): Promise<void> {
  await db.transaction(async (tx) => {
    const user = await lockUser(tx, { id, workspace_id: maker.workspace_id });
    if (user === undefined) throw new Problem('not_found', 'There is no such user.');
    refuseBeyond(maker, { ...user, scopes: [] });
    await deleteUser(tx, user);
  });
}
