import { ALL_WORKSPACES } from '@roadstead/contracts';
import { type Database, Problem } from '@roadstead/kit';
import { findKey, hashOf } from '../keys/key-store.ts';
import { checkPassword, hashPassword } from '../users/password.ts';
import { keptName } from '../users/user-rules.ts';
import { listUsersOfName, recordSignIn, rehashUser, type UserRow } from '../users/user-store.ts';
import { giveBackAttempt, takeAttempt } from './attempt-store.ts';
import { allowancesOf } from './sign-in-rules.ts';
import { findSubject, type Subject } from './subject-work.ts';

/** What somebody typed. */
export type Shown = { readonly key: string } | { readonly name: string; readonly password: string };

export interface SignIn {
  readonly shown: Shown;
  readonly address: string;
  readonly device_id: string | undefined;
}

/**
 * Whoever this is, in each workspace that it reaches. An attempt is counted before it is looked at, so that many at once
 * are no way around the limit.
 * @throws Problem `unauthenticated`, or `limit` with the seconds to wait.
 */
export async function signIn(db: Database, { shown, address, device_id }: SignIn): Promise<Subject[]> {
  const name = 'name' in shown ? keptName(shown.name) : undefined;
  const allowances = allowancesOf({ address, name, device_id });
  for (const allowance of allowances) {
    const wait_s = await takeAttempt(db, allowance);
    if (wait_s !== undefined)
      throw new Problem('limit', 'There were too many attempts to sign in.', { retry_after_s: wait_s });
  }
  const ids = 'key' in shown ? await byKey(db, shown.key) : await byPassword(db, shown);
  const found = await Promise.all(ids.map((id) => findSubject(db, id)));
  const subjects = found.filter((subject) => subject !== undefined);
  if (subjects.length === 0)
    throw new Problem(
      'unauthenticated',
      'key' in shown
        ? 'This API key is unknown, revoked or expired.'
        : 'There is no user of this name and password.',
    );
  for (const { bucket } of allowances) await giveBackAttempt(db, bucket);
  return subjects;
}

async function byKey(db: Database, key: string): Promise<string[]> {
  const row = await findKey(db, hashOf(key.trim()));
  return row === undefined || row.workspace_id === ALL_WORKSPACES ? [] : [`key:${row.id}`];
}

/** For a name that nobody has it takes as long. */
async function byPassword(
  db: Database,
  { name, password }: { readonly name: string; readonly password: string },
): Promise<string[]> {
  const users = await listUsersOfName(db, keptName(name));
  const ids: string[] = [];
  // One after the other: a name in many workspaces must not fill the queue of all who sign in.
  for (const user of users.length === 0 ? [undefined] : users)
    if ((await isTheirs(db, user, password)) && user !== undefined) ids.push(user.id);
  await recordSignIn(db, ids);
  return ids.map((id) => `user:${id}`);
}

async function isTheirs(db: Database, user: UserRow | undefined, password: string): Promise<boolean> {
  const { matches, is_stale } = await checkPassword(password, user?.password);
  if (user !== undefined && matches && is_stale)
    await rehashUser(db, { ...user, password: await hashPassword(password) });
  return matches;
}
