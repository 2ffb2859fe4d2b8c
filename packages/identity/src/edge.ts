import {
  ALL_WORKSPACES,
  type Audience,
  CREDENTIAL_HEADERS,
  type Principal,
  WORKSPACE_HEADERS,
} from '@roadstead/contracts';
import {
  ASSERTION_LIFETIME_S,
  type Database,
  type Inward,
  isUuid,
  type Log,
  Problem,
  type Signer,
} from '@roadstead/kit';
import { findKey, hashOf, type KeyRow, touchKey } from './keys/key-store.ts';

/** Verifies credentials once and signs what goes inward (house.md "Edge verifies a credential once"). */
export interface Edge {
  /** What a service is told of a caller: an assertion, or why there is none. */
  inward(headers: Headers, audience: Audience): Promise<Inward>;
  /** An assertion for a credential; throws the refusal. */
  assert(
    credential: string,
    workspace_id: string | undefined,
    audience: Audience,
  ): Promise<{ assertion: string; expires_at: string }>;
  /** Forgets a key at once, here. */
  forget(hash: Buffer): void;
}

/** A revoked key is dead within this time. */
const KNOWN_MS = 30_000;
const UNKNOWN_MS = 5000;
const MAX_CACHED = 10_000;
/** An assertion is renewed before it could end under way. */
const RENEW_BEFORE_S = 20;

interface Known {
  readonly row: KeyRow | undefined;
  readonly until: number;
  readonly assertions: Map<string, { readonly assertion: string; readonly expires_ms: number }>;
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

  const lookUp = async (credential: string): Promise<Known> => {
    const hash = hashOf(credential);
    const name = hash.toString('base64');
    const cached = cache.get(name);
    if (cached !== undefined && cached.until > now()) return cached;
    const row = await findKey(db, hash);
    const known = { row, until: now() + (row === undefined ? UNKNOWN_MS : KNOWN_MS), assertions: new Map() };
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(name, known);
    if (row !== undefined)
      touchKey(db, row.id).catch((error: unknown) => log.warn('the use of a key was not noted', { error }));
    return known;
  };

  const assert: Edge['assert'] = async (credential, workspace_id, audience) => {
    const known = await lookUp(credential);
    if (known.row === undefined)
      throw new Problem('unauthenticated', 'This API key is unknown, revoked or expired.');
    const principal = principalOf(known.row, workspace_id);
    const name = `${audience} ${principal.workspace_id}`;
    const signed = known.assertions.get(name);
    if (signed !== undefined && signed.expires_ms - RENEW_BEFORE_S * 1000 > now()) return answerOf(signed);
    const fresh = {
      assertion: signer.sign(principal, audience),
      expires_ms: now() + ASSERTION_LIFETIME_S * 1000,
    };
    known.assertions.set(name, fresh);
    return answerOf(fresh);
  };

  return {
    assert,
    inward: async (headers, audience) => {
      const credential = credentialOf(headers);
      if (credential === undefined) return {};
      try {
        return { assertion: (await assert(credential, workspaceOf(headers), audience)).assertion };
      } catch (error) {
        if (error instanceof Problem) return { refused: error };
        throw error;
      }
    },
    forget: (hash) => void cache.delete(hash.toString('base64')),
  };
}

function principalOf(row: KeyRow, wanted: string | undefined): Principal {
  if (row.workspace_id !== ALL_WORKSPACES && wanted !== undefined && wanted !== row.workspace_id) {
    throw new Problem('forbidden', 'This API key does not reach the workspace that X-Tenant-Id names.');
  }
  if (wanted !== undefined && !isUuid(wanted))
    throw new Problem('forbidden', 'X-Tenant-Id is not the id of a workspace.');
  return { workspace_id: wanted ?? row.workspace_id, actor: `key:${row.id}`, scopes: row.scopes };
}

const answerOf = ({ assertion, expires_ms }: { assertion: string; expires_ms: number }) => ({
  assertion,
  expires_at: new Date(expires_ms).toISOString(),
});

/** The credential of a request, wherever real clients put it. */
export function credentialOf(headers: Headers): string | undefined {
  const [named] = CREDENTIAL_HEADERS.flatMap((name) => headers.get(name) ?? []);
  if (named !== undefined && named !== '') return named;
  return /^Bearer\s+(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
}

function workspaceOf(headers: Headers): string | undefined {
  const [named] = WORKSPACE_HEADERS.flatMap((name) => headers.get(name) ?? []);
  return named === '' ? undefined : named;
}
