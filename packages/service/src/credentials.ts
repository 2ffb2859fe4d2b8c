import { hash } from 'node:crypto';
import { ApiError, type Audience, type Client, credentialOf, workspaceIdOf } from '@roadstead/contracts';
import type { IdentityContract } from '@roadstead/contracts/identity';
import type { CallerContext } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import type { IssuedAssertion } from './service-calls.ts';

/**
 * Verifies callers at an edge by asking identity, once in 25 s for each credential, or sooner where the assertion
 * expires sooner.
 */
export interface Credentials {
  /** The context to pass on to a service: an assertion, or the refusal; empty without a credential. */
  inward(headers: Headers, audience: Audience): Promise<CallerContext>;
  /** Forgets every answer, after a key was revoked. */
  forget(): void;
}

const GOOD_MS = 25_000;
const BAD_MS = 5000;
/** An assertion is passed on only while this much of its lifetime is left. */
const LEFT_MS = 5000;
const MAX_CACHED = 10_000;
/** The longest that identity accepts. */
const MAX_CREDENTIAL_CHARS = 4096;

interface Entry {
  until: number;
  readonly answer: Promise<IssuedAssertion>;
}

interface Question {
  readonly credential: string;
  readonly workspace_id: string | undefined;
  readonly audience: Audience;
}

type CredentialVerifier = Pick<Client<IdentityContract>, 'verifyCredential'>;

export function createCredentials(identity: CredentialVerifier, now: () => number = Date.now): Credentials {
  const cache = new Map<string, Entry>();
  const verify = async (question: Question): Promise<IssuedAssertion> => {
    const name = hash('sha256', JSON.stringify(question), 'base64');
    const cached = cache.get(name);
    if (cached !== undefined && cached.until > now()) return cached.answer;
    // Concurrent calls share one request.
    const [answer, asked_at] = [ask(identity, question), now()];
    makeRoom(cache, asked_at);
    const entry: Entry = { until: asked_at + GOOD_MS, answer };
    cache.set(name, entry);
    answer.then(
      ({ expires_at }) => {
        entry.until = Math.min(entry.until, Date.parse(expires_at) - LEFT_MS);
      },
      (error: unknown) => {
        // A refusal is cached, an outage is not.
        entry.until = isRefusal(error) ? now() + BAD_MS : -Infinity;
      },
    );
    return answer;
  };
  return {
    inward: async (headers, audience) => {
      const credential = credentialOf(headers);
      if (credential === undefined) return {};
      try {
        const workspace_id = workspaceIdOf(headers);
        return { assertion: (await verify({ credential, workspace_id, audience })).assertion };
      } catch (error) {
        if (error instanceof Problem) return { refused: error };
        throw error;
      }
    },
    forget: () => cache.clear(),
  };
}

function isRefusal(error: unknown): boolean {
  return error instanceof Problem && (error.kind === 'unauthenticated' || error.kind === 'forbidden');
}

/** Guessed credentials must not evict valid ones. */
function makeRoom(cache: Map<string, Entry>, now: number): void {
  if (cache.size < MAX_CACHED) return;
  for (const [name, { until }] of cache) if (until <= now + BAD_MS) cache.delete(name);
  if (cache.size >= MAX_CACHED) cache.clear();
}

/** The machine-readable reason in identity's answer. */
function codeOf({ body }: ApiError): { readonly code?: string } {
  const code = (body as { error?: unknown } | null)?.error;
  return typeof code === 'string' ? { code } : {};
}

async function ask(
  identity: CredentialVerifier,
  { workspace_id, ...question }: Question,
): Promise<IssuedAssertion> {
  if (question.credential.length > MAX_CREDENTIAL_CHARS)
    throw new Problem('unauthenticated', 'This is too long to be an API key.');
  try {
    return await identity.verifyCredential({
      body: { ...question, ...(workspace_id === undefined ? {} : { workspace_id }) },
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401) throw new Problem('unauthenticated', error.message, codeOf(error));
    if (error.status === 403) throw new Problem('forbidden', error.message);
    if (error.status === 422) throw new Problem('forbidden', 'X-Tenant-Id is not the id of a workspace.');
    throw new Problem('unavailable', 'API keys can’t be verified right now; try again.', {
      cause: error,
      retry_after_s: 1,
    });
  }
}
