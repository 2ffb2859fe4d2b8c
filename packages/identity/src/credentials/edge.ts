import {
  ALL_WORKSPACES,
  type Audience,
  credentialOf,
  type Principal,
  workspaceIdOf,
} from '@roadstead/contracts';
import { ASSERTION_LIFETIME_S, type CallerContext, type Signer } from '@roadstead/http';
import { isUuid, type Log, Problem, problemOf } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { findHolder, type Holder, type VerifyToken } from './credentials.ts';
import { hashOf } from '../records/key-store.ts';
import { looksLikeToken } from './access-token.ts';

/** Verifies credentials once and signs what goes inward. */
export interface Edge extends AsyncDisposable {
  /** What a service gets about a caller: an assertion, or why there is none. */
  inward(headers: Headers, audience: Audience): Promise<CallerContext>;
  /** An assertion for a credential; throws the refusal as a `Problem`. */
  assert(
    credential: string,
    workspace_id: string | undefined,
    audience: Audience,
  ): Promise<{ assertion: string; expires_at: string; principal: Principal }>;
  /** Forgets at once what it knows of a key, and of access tokens, which may depend on it. Other edges take 30 s. */
  forget(hash: Buffer): void;
  /** Forgets what it knows of every access token. */
  forgetTokens(): void;
}

/** Added to what an edge elsewhere remembers, this makes 30 s at most. */
const KNOWN_MS = 5000;
const UNKNOWN_MS = 5000;
const MAX_CACHED = 10_000;

interface SignedAssertion {
  readonly principal: Principal;
  readonly assertion: string;
  readonly expires_ms: number;
}

/** A lookup under way or done. It is in the map from its beginning, so that `forget` reaches it in any case. */
interface CachedHolder {
  readonly holder: Promise<Holder | undefined>;
  readonly is_token: boolean;
  until: number;
  readonly signed: Map<string, SignedAssertion>;
}

export function createEdge({
  db,
  signer,
  log,
  verifyToken,
  now = Date.now,
}: {
  db: Database;
  signer: Signer;
  log: Log;
  verifyToken: VerifyToken;
  now?: () => number;
}): Edge {
  const cache = new Map<string, CachedHolder>();
  const recording = new Set<Promise<void>>();

  const recordUse = (holder: Holder) => {
    const recorded = holder
      .recordUse()
      .catch((error: unknown) => log.warn('the last use of a credential could not be recorded', { error }))
      .finally(() => recording.delete(recorded));
    recording.add(recorded);
  };

  const lookUp = (credential: string): CachedHolder => {
    const name = nameOf(hashOf(credential));
    const cached = cache.get(name);
    if (cached !== undefined && cached.until > now()) return cached;
    const known: CachedHolder = {
      holder: findHolder(db, { credential, verifyToken }),
      is_token: looksLikeToken(credential),
      until: now() + KNOWN_MS,
      signed: new Map(),
    };
    makeRoom(cache, now());
    cache.set(name, known);
    known.holder.then(
      (holder) => {
        if (holder === undefined) known.until = now() + UNKNOWN_MS;
        else recordUse(holder);
      },
      // A failed lookup is no answer: the next caller asks again.
      () => cache.get(name) === known && cache.delete(name),
    );
    return known;
  };

  const assert: Edge['assert'] = async (credential, workspace_id, audience) =>
    signed(lookUp(credential), { workspace_id, audience, signer, now: now() });

  const forgetTokens = () => {
    for (const [name, { is_token }] of cache) if (is_token) cache.delete(name);
  };

  return {
    assert,
    inward: async (headers, audience) => {
      const credential = credentialOf(headers);
      if (credential === undefined) return {};
      try {
        return { assertion: (await assert(credential, workspaceIdOf(headers), audience)).assertion };
      } catch (error) {
        return { refused: refusalOf(error) };
      }
    },
    forget: (hash) => {
      cache.delete(nameOf(hash));
      forgetTokens();
    },
    forgetTokens,
    [Symbol.asyncDispose]: async () => void (await Promise.all(recording)),
  };
}

interface AssertionRequest {
  readonly workspace_id: string | undefined;
  readonly audience: Audience;
  readonly signer: Signer;
  readonly now: number;
}

/** The assertion about a holder, made once for as long as the holder is cached: it outlives the cache by far. */
async function signed(known: CachedHolder, { workspace_id, audience, signer, now }: AssertionRequest) {
  const holder = await known.holder;
  if (holder === undefined || (holder.expires_at !== null && Date.parse(holder.expires_at) <= now))
    throw known.is_token
      ? new Problem(
          'unauthenticated',
          'This access token is invalid or has expired: refresh it, or sign in.',
          { code: 'invalid_token' },
        )
      : new Problem('unauthenticated', 'This API key is unknown, revoked or expired.');
  const principal = principalOf(holder, { wanted: workspace_id, is_token: known.is_token });
  const name = `${audience} ${principal.workspace_id}`;
  const before = known.signed.get(name);
  if (before !== undefined) return answerOf(before);
  const fresh = {
    principal,
    assertion: signer.sign(principal, audience),
    expires_ms: now + ASSERTION_LIFETIME_S * 1000,
  };
  known.signed.set(name, fresh);
  return answerOf(fresh);
}

const nameOf = (hash: Buffer) => hash.toString('base64');

function principalOf(
  holder: Holder,
  { wanted, is_token }: { readonly wanted: string | undefined; readonly is_token: boolean },
): Principal {
  const workspace_id = wanted?.toLowerCase() ?? holder.workspace_id;
  if (holder.workspace_id !== ALL_WORKSPACES && workspace_id !== holder.workspace_id) {
    const it = is_token ? 'access token' : 'API key';
    throw new Problem('forbidden', `This ${it} does not reach the workspace that X-Tenant-Id names.`);
  }
  if (wanted !== undefined && !isUuid(workspace_id))
    throw new Problem('forbidden', 'X-Tenant-Id is not the id of a workspace.');
  const { actor, listener_id, deployment_id, subject } = holder;
  return {
    workspace_id,
    actor,
    scopes: [...holder.scopes],
    ...(listener_id === null ? {} : { listener_id }),
    ...(deployment_id === null ? {} : { deployment_id }),
    ...(subject === null ? {} : { subject }),
  };
}

const answerOf = ({ principal, assertion, expires_ms }: SignedAssertion) => ({
  principal,
  assertion,
  expires_at: new Date(expires_ms).toISOString(),
});

/** Rethrows what is neither a refusal nor an outage of the database: it is a bug. */
function refusalOf(error: unknown): Problem {
  const problem = problemOf(error);
  if (problem === undefined) throw error;
  return problem;
}

/** Guessed credentials must not push out those that work. */
function makeRoom(cache: Map<string, CachedHolder>, now: number): void {
  if (cache.size < MAX_CACHED) return;
  for (const [name, known] of cache) if (known.until <= now + UNKNOWN_MS) cache.delete(name);
  if (cache.size >= MAX_CACHED) cache.clear();
}
