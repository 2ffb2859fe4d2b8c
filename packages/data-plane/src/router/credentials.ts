import { createHash } from 'node:crypto';
import { ApiError, type Client, credentialOf, workspaceIdOf } from '@roadstead/contracts';
import type { Identity } from '@roadstead/contracts/identity';
import { Problem } from '@roadstead/kit';

/**
 * Verifies callers of agents with the platform's identity service; each credential is asked for once in 30 s, or sooner
 * where what was answered ends sooner.
 */
export interface Credentials {
  /** An assertion for the agent server; undefined without a credential. Throws the refusal. */
  verify(headers: Headers): Promise<string | undefined>;
}

const GOOD_MS = 30_000;
const BAD_MS = 5000;
/** An assertion is handed on while so much of its time is left. */
const LEFT_MS = 5000;
const MAX_CACHED = 10_000;

interface Verified {
  readonly assertion: string;
  readonly expires_at: string;
}

interface Entry {
  readonly until: number;
  readonly answer: Promise<Verified>;
}

export function createCredentials(identity: Client<Identity>, now: () => number = Date.now): Credentials {
  const cache = new Map<string, Entry>();
  return {
    verify: async (headers) => {
      const credential = credentialOf(headers);
      if (credential === undefined) return undefined;
      const workspace_id = workspaceIdOf(headers);
      const key = createHash('sha256')
        .update(JSON.stringify([credential, workspace_id]))
        .digest('base64');
      const cached = cache.get(key);
      if (cached !== undefined && cached.until > now()) return (await cached.answer).assertion;
      const answer = ask(identity, credential, workspace_id);
      if (cache.size >= MAX_CACHED) cache.clear();
      // Others who come meanwhile wait for the same answer.
      const asked_at = now();
      cache.set(key, { until: asked_at + GOOD_MS, answer });
      answer.then(
        ({ expires_at }) => {
          const until = Math.min(asked_at + GOOD_MS, Date.parse(expires_at) - LEFT_MS);
          cache.set(key, { until, answer });
        },
        (error: unknown) => {
          // A refusal is an answer; identity being away is none.
          if (isRefusal(error)) cache.set(key, { until: now() + BAD_MS, answer });
          else cache.delete(key);
        },
      );
      return (await answer).assertion;
    },
  };
}

function isRefusal(error: unknown): boolean {
  return error instanceof Problem && (error.kind === 'unauthenticated' || error.kind === 'forbidden');
}

async function ask(
  identity: Client<Identity>,
  credential: string,
  workspace_id: string | undefined,
): Promise<Verified> {
  try {
    return await identity.verifyCredential({
      body: { credential, audience: 'agent-server', ...(workspace_id === undefined ? {} : { workspace_id }) },
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401) throw new Problem('unauthenticated', error.message);
    if (error.status === 403) throw new Problem('forbidden', error.message);
    throw new Problem('unavailable', 'API keys can’t be verified right now; try again.', {
      cause: error,
      retry_after_s: 1,
    });
  }
}
