import { ALL_WORKSPACES } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { findKey, hashOf } from '../records/key-store.ts';
import { checkPassword, hashPassword } from '../users/password.ts';
import { keptName } from '../users/user-rules.ts';
import { listUsersOfName, recordSignIn, rehashUser, type UserRow } from '../records/user-store.ts';
import { giveBackAttempt, takeAttempt } from './attempt-store.ts';
import type { KnownBrowser } from './session-cookie.ts';
import { type Allowance, allowancesOf } from './sign-in-rules.ts';
import { findSubject, type Subject } from '../records/subject-work.ts';

const USER = 'user:';

/** The credentials that somebody typed. */
export type SignInCredentials =
  | { readonly key: string }
  | { readonly name: string; readonly password: string };

export interface SignIn {
  readonly shown: SignInCredentials;
  readonly address: string;
  /** Undefined for a browser in which nobody has signed in. */
  readonly browser: KnownBrowser | undefined;
}

/**
 * The subjects that the credentials open, one for each workspace. An attempt is counted before it is checked, so that
 * many at once do not get around the limit. It counts separately for those for whom the browser vouches and for the
 * rest of the name.
 * @throws Problem `unauthenticated`, or `limit` with the seconds to wait.
 */
export async function signIn(db: Database, { shown, address, browser }: SignIn): Promise<Subject[]> {
  const name = 'name' in shown ? keptName(shown.name) : undefined;
  const candidates = 'key' in shown ? await byKey(db, shown.key) : await byName(db, shown);
  const isVouchedFor = ({ id }: Candidate) => browser?.ids.includes(id) === true;
  const theirs = candidates.filter(isVouchedFor);
  const others = candidates.filter((one) => !isVouchedFor(one));
  const mine = { candidates: theirs, allowances: allowancesOf({ address, name, ...browser }) };
  const rest = { candidates: others, allowances: allowancesOf({ address, name }) };
  const guesses = [
    ...(theirs.length > 0 ? [mine] : []),
    ...(theirs.length === 0 || others.length > 0 ? [rest] : []),
  ];
  const waits: number[] = [];
  const ids: string[] = [];
  for (const guess of guesses) {
    const answer = await attempt(db, guess);
    if ('wait_s' in answer) waits.push(answer.wait_s);
    else ids.push(...answer.ids);
  }
  const found = await Promise.all(ids.map((id) => findSubject(db, id)));
  const subjects = found.filter((subject) => subject !== undefined);
  if (subjects.length > 0) {
    await recordSignIn(
      db,
      ids.flatMap((id) => (id.startsWith(USER) ? [id.slice(USER.length)] : [])),
    );
    return subjects;
  }
  if (waits.length > 0)
    throw new Problem('limit', 'There were too many attempts to sign in.', {
      retry_after_s: Math.max(...waits),
    });
  throw new Problem(
    'unauthenticated',
    'key' in shown
      ? 'This API key is unknown, revoked or expired.'
      : 'There is no user of this name and password.',
  );
}

/** A subject that the credentials may belong to. */
interface Candidate {
  /** The id as `findSubject` takes it. */
  readonly id: string;
  readonly matches: () => Promise<boolean>;
}

interface Guess {
  readonly candidates: readonly Candidate[];
  readonly allowances: readonly Allowance[];
}

/**
 * The candidates that match, or the seconds to wait. The count is taken back only where all of them matched:
 * otherwise it was a guess at some.
 */
async function attempt(
  db: Database,
  { candidates, allowances }: Guess,
): Promise<{ readonly ids: string[] } | { readonly wait_s: number }> {
  for (const allowance of allowances) {
    const wait_s = await takeAttempt(db, allowance);
    if (wait_s !== undefined) return { wait_s };
  }
  const ids: string[] = [];
  // One after the other: a name in many workspaces must not fill the queue of all who sign in.
  for (const { id, matches } of candidates) if (await matches()) ids.push(id);
  if (ids.length > 0 && ids.length === candidates.length)
    for (const { bucket } of allowances) await giveBackAttempt(db, bucket);
  return { ids };
}

async function byKey(db: Database, key: string): Promise<Candidate[]> {
  const row = await findKey(db, hashOf(key.trim()));
  if (row === undefined || row.workspace_id === ALL_WORKSPACES) return [];
  return [{ id: `key:${row.id}`, matches: async () => true }];
}

async function byName(
  db: Database,
  { name, password }: { readonly name: string; readonly password: string },
): Promise<Candidate[]> {
  const users = await listUsersOfName(db, keptName(name));
  if (users.length > 0)
    return users.map((user) => ({ id: USER + user.id, matches: () => isTheirs(db, user, password) }));
  // An unknown name takes as long as a known one.
  return [{ id: 'nobody', matches: async () => (await checkPassword(password, undefined)).matches }];
}

async function isTheirs(db: Database, user: UserRow, password: string): Promise<boolean> {
  const { matches, is_stale } = await checkPassword(password, user.password ?? undefined);
  if (matches && is_stale) await rehashUser(db, { ...user, password: await hashPassword(password) });
  return matches;
}
