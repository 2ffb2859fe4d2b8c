import { oauthPages } from '../pages/device-pages.ts';
import type Provider from 'oidc-provider';
import { type Log, Loop, Problem, type SecretBox, settled } from '@roadstead/kit';
import type { Database, Queryable } from '@roadstead/postgres';
import { takeAttempt } from '../sign-in/attempt-store.ts';
import type { Allowance } from '../sign-in/sign-in-rules.ts';
import { findGrant, revokeGrant, deleteEndedGrants } from '../records/grant-store.ts';
import { grantHandlers } from './grants/grants-routes.ts';
import { discoveryHandlers } from './discovery-routes.ts';
import { createInteractions } from './interactions.ts';
import { ensureSigningKeys, removeOldSigningKeys, type SigningKey } from './keys/signing-key-work.ts';
import type { Interactions } from '../pages/oauth-ports.ts';
import { oauthHandlers } from './oauth-routes.ts';
import { createProvider } from './provider.ts';
import { rotate } from './rotation-work.ts';
import { askingAllowances, pollingAllowance } from './asking-rules.ts';
import type { TokenClaims } from '../credentials/access-token.ts';
import { verifyToken } from './token-verifier.ts';
import { deleteUnusedClients } from './client-store.ts';
import { deleteEndedSessions } from '../records/session-store.ts';
import { deleteOldSignInLinks } from '../records/sign-in-link-store.ts';
import type { Visitors } from '../sign-in/visitor.ts';
import { deleteExpiredRecords, forgetAnswers } from './record-store.ts';

interface GrantKey {
  readonly id: string;
}

export interface OAuthOptions {
  readonly db: Database;
  readonly log: Log;
  readonly secret_box: SecretBox;
  /** The address of the origin: the issuer and the audience of the tokens. */
  readonly public_url: string;
  readonly outbound: ((request: Request) => Promise<Response>) | undefined;
  /** Called after a grant was revoked, so that an edge of this process forgets its tokens at once. */
  readonly onRevoked: () => void;
  readonly visitors: Visitors;
  readonly now: () => number;
}

export interface OAuthServer extends AsyncDisposable {
  readonly handlers: ReturnType<typeof oauthHandlers> &
    ReturnType<typeof discoveryHandlers> &
    ReturnType<typeof grantHandlers>;
  readonly interactions: Interactions;
  /** Revokes a grant. @returns whether it was alive. */
  readonly revokeGrant: (grant: GrantKey) => Promise<boolean>;
  readonly verify: (token: string) => Promise<TokenClaims | undefined>;
}

/** How long keys are kept before they are read again; a token that names an unknown key makes it sooner. */
const KEYS_MS = 60_000;
const AGAIN_MS = 1000;
const CLEANED_MS = 600_000;

export function startOAuth(options: OAuthOptions): OAuthServer {
  const { db, log, public_url, now } = options;
  const keys = createKeys(options);
  const revoke = async (grant: GrantKey) => {
    const was_alive = await revokeGrant(db, grant);
    options.onRevoked();
    return was_alive;
  };
  let made: { readonly keys: readonly SigningKey[]; readonly provider: Promise<Provider> } | undefined;
  const provider = async () => {
    const current = await keys();
    if (made?.keys !== current) {
      const adapted = {
        ...options,
        pages: oauthPages,
        revokeGrant: async (id: string) => void (await revoke({ id })),
      };
      made = { keys: current, provider: createProvider(adapted, current) };
    }
    return made.provider;
  };
  const verify = async (token: string) =>
    (await verifyToken(token, { keys: await keys(), public_url, now })) ??
    verifyToken(token, { keys: await keys(AGAIN_MS), public_url, now });
  const cleaning = new Loop({
    name: 'oauth cleaning',
    log,
    resync_ms: CLEANED_MS,
    list: async () => ['all'],
    reconcile: async () => {
      await cleanUp(db);
      await removeOldSigningKeys(options);
      return settled;
    },
  }).start();
  const interactions = createInteractions({ db, provider, public_url });
  return {
    handlers: {
      ...oauthHandlers({
        provider,
        public_url,
        visitors: options.visitors,
        interactions,
        count: (asking, address) => count(db, askingAllowances(asking, address)),
        countPoll: async (device_code) =>
          (await takeAttempt(db, pollingAllowance(device_code))) === undefined,
        rotate: (use) => rotate(options, use),
        revokeToken: (token, client_id) =>
          revokeToken({ token, client_id }, { provider, verify, db, revoke }),
      }),
      ...discoveryHandlers({
        public_url,
        public_keys: async () => (await keys()).map(({ public_key }) => public_key),
      }),
      ...grantHandlers(options),
    },
    revokeGrant: revoke,
    interactions,
    verify,
    [Symbol.asyncDispose]: () => cleaning[Symbol.asyncDispose](),
  };
}

/** @throws Problem `limit` with the seconds to wait */
async function count(db: Database, allowances: readonly Allowance[]): Promise<void> {
  for (const allowance of allowances) {
    const wait_s = await takeAttempt(db, allowance);
    if (wait_s !== undefined)
      throw new Problem('limit', 'There were too many requests of this kind; try again later.', {
        retry_after_s: wait_s,
        code: 'temporarily_unavailable',
      });
  }
}

/** The keys, read once in a while and shared by all callers. */
function createKeys(options: OAuthOptions) {
  let read: { readonly at: number; readonly keys: Promise<readonly SigningKey[]> } | undefined;
  return async (older_than_ms = KEYS_MS): Promise<readonly SigningKey[]> => {
    if (read === undefined || options.now() - read.at > older_than_ms) {
      const before = read?.keys;
      const keys = ensureSigningKeys(options).then(async (found) => unchanged(await before, found));
      const mine = { at: options.now(), keys };
      read = mine;
      keys.catch(() => (read = read === mine ? undefined : read));
    }
    return read.keys;
  };
}

/** Returns the same array while the keys are the same, so that what was derived from them stays valid. */
function unchanged(before: readonly SigningKey[] | undefined, found: readonly SigningKey[]) {
  const names = (keys: readonly SigningKey[]) => keys.map(({ id }) => id).join();
  return before !== undefined && names(before) === names(found) ? before : found;
}

interface RevocationContext {
  readonly provider: () => Promise<Provider>;
  readonly verify: (token: string) => Promise<TokenClaims | undefined>;
  readonly db: Database;
  readonly revoke: (grant: GrantKey) => Promise<boolean>;
}

/** Revokes an access or refresh token, which ends its whole grant. A client revokes only its own tokens. */
async function revokeToken(
  { token, client_id }: { readonly token: string; readonly client_id: string },
  { provider, verify, db, revoke }: RevocationContext,
): Promise<void> {
  const access = await verify(token);
  const found =
    access === undefined
      ? await (await provider()).RefreshToken.find(token)
      : { grantId: access.grant_id, clientId: access.client_id };
  if (found?.grantId === undefined || found.clientId !== client_id) return;
  if ((await findGrant(db, found.grantId)) !== undefined) await revoke({ id: found.grantId });
}

/** Removes what has expired, in the order of its dependencies. */
export async function cleanUp(db: Queryable): Promise<void> {
  await forgetAnswers(db);
  await deleteExpiredRecords(db);
  await deleteEndedGrants(db);
  await deleteUnusedClients(db);
  await deleteEndedSessions(db);
  await deleteOldSignInLinks(db);
}
