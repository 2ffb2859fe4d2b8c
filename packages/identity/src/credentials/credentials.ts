import { covers, type Principal } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit';
import type { Database, Queryable, Transaction } from '@roadstead/postgres';
import { lockCredentials } from '../handing-on/lock-store.ts';
import { handOn, type Reach } from '../handing-on/handing-on-rules.ts';
import { findKey, findKeyById, hashOf, recordKeyUse } from '../records/key-store.ts';
import { findGrant, recordGrantUse } from '../records/grant-store.ts';
import { looksLikeToken, type TokenClaims } from './access-token.ts';
import { findSubject } from '../records/subject-work.ts';

/** Who holds a credential, and how far it reaches. */
export interface Holder extends Reach {
  readonly actor: string;
  readonly recordUse: () => Promise<void>;
}

export type VerifyToken = (token: string) => Promise<TokenClaims | undefined>;

/** Finds the holder of an API key, or of an access token whose grant and whose consenting subject are both alive. */
export async function findHolder(
  db: Database,
  { credential, verifyToken }: { readonly credential: string; readonly verifyToken: VerifyToken },
): Promise<Holder | undefined> {
  return looksLikeToken(credential) ? ofToken(db, await verifyToken(credential)) : ofKey(db, credential);
}

async function ofKey(db: Database, credential: string): Promise<Holder | undefined> {
  const row = await findKey(db, hashOf(credential));
  return row && { ...row, actor: `key:${row.id}`, recordUse: () => recordKeyUse(db, row.id) };
}

async function ofToken(db: Database, claims: TokenClaims | undefined): Promise<Holder | undefined> {
  const found = claims && (await findLiveGrant(db, claims.grant_id));
  if (claims === undefined || found === undefined) return undefined;
  const { grant, reach } = found;
  const { grant_id: id } = claims;
  const ends = [claims.expires_at, ...(reach.expires_at === null ? [] : [reach.expires_at])].map(Date.parse);
  return {
    ...reach,
    // The console is no application beside the person: it is how they call.
    actor: grant.session_id === null ? `oauth:${id}` : grant.subject,
    expires_at: new Date(Math.min(...ends)).toISOString(),
    recordUse: () => recordGrantUse(db, id),
  };
}

export const findGrantReach = async (db: Queryable, id: string): Promise<Reach | undefined> =>
  (await findLiveGrant(db, id))?.reach;

/** The person who consented may do less today than then: the grant is bound as they are today. */
async function findLiveGrant(db: Queryable, id: string) {
  const grant = await findGrant(db, id);
  const subject = grant && (await findSubject(db, grant.subject));
  if (grant === undefined || subject?.version !== grant.subject_version) return undefined;
  const scopes = grant.scopes.filter((scope) => covers(subject.scopes, scope));
  return { grant, reach: handOn('grant', subject, { scopes }) };
}

/** The caller, as far as it is known before the request is read. */
export type Caller = Pick<Principal, 'actor' | 'workspace_id' | 'scopes'>;

/** A key, a user or a grant that a caller changes or ends. */
export interface RecordChange {
  readonly caller: Caller;
  readonly id: string;
}

/**
 * How far the caller reaches now, for making another credential or changing one; the assertion is a little older. The
 * caller's credential, and the one that is changed, stay as they are until the transaction ends, so that what is
 * decided from them holds when it is written.
 * @param changed the credential that is changed, if any: `key:{id}`, `user:{id}` or `oauth:{id}`
 * @throws Problem `unauthenticated` where the caller's credential is gone
 */
export async function lockMaker(
  tx: Transaction,
  { actor, workspace_id, scopes }: Caller,
  ...changed: readonly string[]
): Promise<Reach> {
  const locked = await lockCredentials(tx, [actor, ...changed]);
  const [kind, id = ''] = actor.split(':');
  // None of this binds our own services.
  if (kind === 'service')
    return { workspace_id, scopes, subject: null, deployment_id: null, listener_id: null, expires_at: null };
  const reach = await (kind === 'oauth'
    ? findGrantReach(locked, id)
    : kind === 'user'
      ? findSubject(locked, actor)
      : findKeyById(locked, id));
  if (reach === undefined)
    throw new Problem('unauthenticated', 'The caller’s credential is unknown, revoked or expired.');
  return { ...reach, workspace_id };
}
