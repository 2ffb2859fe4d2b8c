import { createHash } from 'node:crypto';
import { Problem, randomToken } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { type Caller, lockMaker } from '../credentials/credentials.ts';
import { handOn } from '../handing-on/handing-on-rules.ts';
import {
  findSignInLink,
  insertSignInLink,
  type LinkState,
  spendSignInLink,
} from '../records/sign-in-link-store.ts';
import { findSubject, type Subject } from '../records/subject-work.ts';

/** Addresses that sign a browser in, once and soon. */

const LIFETIME_S = 300;

const hashOf = (code: string) => createHash('sha256').update(code).digest();

/** @throws Problem `forbidden` for an application, which must not become the person who authorized it. */
export async function makeSignInLink(
  db: Database,
  caller: Caller,
): Promise<{ readonly code: string; readonly expires_at: string }> {
  const code = randomToken(32);
  return db.transaction(async (tx) => {
    handOn('session', await lockMaker(tx, caller), {});
    const subject = await findSubject(tx, caller.actor);
    if (subject === undefined)
      throw new Problem('forbidden', 'Only a key of a workspace, or a user, can be signed in by an address.');
    const link = { subject: subject.id, subject_version: subject.version, lifetime_s: LIFETIME_S };
    return { code, ...(await insertSignInLink(tx, { ...link, hash: hashOf(code) })) };
  });
}

const ended: Readonly<Record<Exclude<LinkState, 'open'>, string>> = {
  used: 'This address has signed somebody in already, and is good once.',
  over: 'This address is more than five minutes old, and signs nobody in any more.',
};

/** Whom the address would sign in. @throws Problem `not_found`, which says why, and how to get another. */
export async function readSignInLink(db: Database, code: string): Promise<Subject> {
  const link = await findSignInLink(db, hashOf(code));
  if (link === undefined) throw noLink('This address is incomplete, or not one of ours.');
  if (link.state !== 'open') throw noLink(ended[link.state]);
  const subject = await findSubject(db, link.subject);
  if (subject?.version !== link.subject_version)
    throw noLink('The key or the password that made this address has ended.');
  return subject;
}

/** Uses the address up. @throws Problem as `readSignInLink` does */
export async function spendLink(db: Database, code: string): Promise<Subject> {
  const subject = await readSignInLink(db, code);
  if (!(await spendSignInLink(db, hashOf(code)))) throw noLink(ended.used);
  return subject;
}

const noLink = (why: string) =>
  new Problem('not_found', why, {
    hint: 'Run “roadstead open”, which prints another one, or open the console and sign in with a key or a password.',
  });
