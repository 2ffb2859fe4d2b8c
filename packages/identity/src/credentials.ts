import { covers, type Scope } from '@roadstead/contracts';
import type { Database } from '@roadstead/kit';
import { findKey, hashOf, recordKeyUse } from './keys/key-store.ts';
import { findGrant, recordGrantUse } from './oauth/grants/grant-store.ts';
import { findSubject } from './sign-in/subject-work.ts';
import { looksLikeToken, type TokenClaims } from './oauth/token-verifier.ts';

/** Who holds a credential, and what it lets them do. */
export interface Holder {
  readonly actor: string;
  readonly workspace_id: string;
  readonly scopes: Scope[];
  readonly expires_at: string | null;
  /** Of the key of a listener. */
  readonly listener_id?: string | undefined;
  /** Of a deployment’s own key. */
  readonly deployment_id?: string | undefined;
  /** On whose behalf. */
  readonly subject?: string | undefined;
  readonly recordUse: () => Promise<void>;
}

export type VerifyToken = (token: string) => Promise<TokenClaims | undefined>;

/** Of an API key, or of an access token whose grant and whose consenting subject are both alive. */
export async function findHolder(
  db: Database,
  { credential, verifyToken }: { readonly credential: string; readonly verifyToken: VerifyToken },
): Promise<Holder | undefined> {
  return looksLikeToken(credential) ? ofToken(db, await verifyToken(credential)) : ofKey(db, credential);
}

async function ofKey(db: Database, credential: string): Promise<Holder | undefined> {
  const row = await findKey(db, hashOf(credential));
  if (row === undefined) return undefined;
  const { id, listener_id, deployment_id, subject, ...known } = row;
  return {
    ...known,
    actor: `key:${id}`,
    ...(listener_id === null ? {} : { listener_id }),
    ...(deployment_id === null ? {} : { deployment_id }),
    ...(subject === null ? {} : { subject }),
    recordUse: () => recordKeyUse(db, id),
  };
}

async function ofToken(db: Database, claims: TokenClaims | undefined): Promise<Holder | undefined> {
  const grant = claims && (await findGrant(db, claims.grant_id));
  const subject = grant && (await findSubject(db, grant.subject));
  if (claims === undefined || grant === undefined || subject?.version !== grant.subject_version)
    return undefined;
  return {
    actor: `oauth:${grant.id}`,
    workspace_id: grant.workspace_id,
    // Whoever consented may do less today.
    scopes: grant.scopes.filter((scope) => covers(subject.scopes, scope)),
    expires_at: claims.expires_at,
    recordUse: () => recordGrantUse(db, grant.id),
  };
}
