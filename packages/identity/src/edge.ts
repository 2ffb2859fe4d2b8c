import {
  ALL_WORKSPACES,
  type Audience,
  credentialOf,
  type Principal,
  workspaceIdOf,
} from '@roadstead/contracts';
import {
  ASSERTION_LIFETIME_S,
  type Database,
  type Inward,
  isUuid,
  type Log,
  Problem,
  problemOf,
  type Signer,
} from '@roadstead/kit';
import { findKey, hashOf, type KeyRow, recordKeyUse } from './keys/key-store.ts';

/** Verifies credentials once and signs what goes inward. */
export interface Edge extends AsyncDisposable {
  /** What a service gets about a caller: an assertion, or why there is none. */
  inward(headers: Headers, audience: Audience): Promise<Inward>;
  /** An assertion for a credential; throws the refusal as a `Problem`. */
  assert(
    credential: string,
    workspace_id: string | undefined,
    audience: Audience,
  ): Promise<{ assertion: string; expires_at: string; principal: Principal }>;
  /** Forgets what it knows of a key, at once; elsewhere that takes 30 s. */
  forget(hash: Buffer): void;
}

/** A revoked key is dead within this time. */
const KNOWN_MS = 30_000;
const UNKNOWN_MS = 5000;
const MAX_CACHED = 10_000;
/** An assertion is renewed before it could end under way. */
const RENEW_BEFORE_S = 20;

interface Signed {
  readonly principal: Principal;
  readonly assertion: string;
  readonly expires_ms: number;
}

/** A lookup under way or done. It is in the map from its beginning, so that `forget` reaches it in any case. */
interface Known {
  readonly row: Promise<KeyRow | undefined>;
  until: number;
  readonly signed: Map<string, Signed>;
}

export function createEdge({
  db,
  signer,
  log,
  now = Date.now,
}: {
  db: Database;
  signer: Signer;
  log: Log;
  now?: () => number;
}): Edge {
  const cache = new Map<string, Known>();
  const recording = new Set<Promise<void>>();

  const recordUse = (id: string) => {
    const recorded = recordKeyUse(db, id)
      .catch((error: unknown) => log.warn('the last use of a key could not be recorded', { error }))
      .finally(() => recording.delete(recorded));
    recording.add(recorded);
  };

  const lookUp = (credential: string): Known => {
    const hash = hashOf(credential);
    const name = hash.toString('base64');
    const cached = cache.get(name);
    if (cached !== undefined && cached.until > now()) return cached;
    const known: Known = { row: findKey(db, hash), until: now() + KNOWN_MS, signed: new Map() };
    makeRoom(cache, now());
    cache.set(name, known);
    known.row.then(
      (row) => {
        if (row === undefined) known.until = now() + UNKNOWN_MS;
        else recordUse(row.id);
      },
      // Not an answer: the next caller asks again.
      () => cache.get(name) === known && cache.delete(name),
    );
    return known;
  };

  const assert: Edge['assert'] = async (credential, workspace_id, audience) => {
    const known = lookUp(credential);
    const row = await known.row;
    if (row === undefined || (row.expires_at !== null && Date.parse(row.expires_at) <= now()))
      throw new Problem('unauthenticated', 'This API key is unknown, revoked or expired.');
    const principal = principalOf(row, workspace_id);
    const name = `${audience} ${principal.workspace_id}`;
    const signed = known.signed.get(name);
    if (signed !== undefined && signed.expires_ms - RENEW_BEFORE_S * 1000 > now()) return answerOf(signed);
    const fresh = {
      principal,
      assertion: signer.sign(principal, audience),
      expires_ms: now() + ASSERTION_LIFETIME_S * 1000,
    };
    known.signed.set(name, fresh);
    return answerOf(fresh);
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
    forget: (hash) => void cache.delete(hash.toString('base64')),
    [Symbol.asyncDispose]: async () => void (await Promise.all(recording)),
  };
}

function principalOf(row: KeyRow, wanted: string | undefined): Principal {
  const workspace_id = wanted?.toLowerCase() ?? row.workspace_id;
  if (row.workspace_id !== ALL_WORKSPACES && workspace_id !== row.workspace_id)
    throw new Problem('forbidden', 'This API key does not reach the workspace that X-Tenant-Id names.');
  if (wanted !== undefined && !isUuid(workspace_id))
    throw new Problem('forbidden', 'X-Tenant-Id is not the id of a workspace.');
  return { workspace_id, actor: `key:${row.id}`, scopes: row.scopes };
}

const answerOf = ({ principal, assertion, expires_ms }: Signed) => ({
  principal,
  assertion,
  expires_at: new Date(expires_ms).toISOString(),
});

/** Anything but a refusal or a database that is away is a bug, and thrown on. */
function refusalOf(error: unknown): Problem {
  const problem = problemOf(error);
  if (problem === undefined) throw error;
  return problem;
}

/** Guessed credentials must not push out those that work. */
function makeRoom(cache: Map<string, Known>, now: number): void {
  if (cache.size < MAX_CACHED) return;
  for (const [name, known] of cache) if (known.until <= now + UNKNOWN_MS) cache.delete(name);
  if (cache.size >= MAX_CACHED) cache.clear();
}
