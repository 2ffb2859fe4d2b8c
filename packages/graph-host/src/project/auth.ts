import type {
  AuthenticateAnswer,
  AuthorizeAnswer,
  EngineCalls,
  Manifest,
  RequestHead,
} from '@roadstead/contracts/host';
import { handlerFor } from '@roadstead/contracts/host-auth';
import type { JsonBytes } from '@roadstead/contracts/host-peer';
import { LoadError } from '../modules/load-error.ts';
import { checkedResult } from '../values/checked-peer.ts';
import { authorizedOf, isNobody, refusalOf, userOf } from './auth-rules.ts';

/** The deployment's own rules of access: an `Auth` of `@langchain/langgraph-sdk/auth`, by its shape. */
export interface LoadedAuth {
  readonly facts: NonNullable<Manifest['auth']>;
  authenticate(this: void, head: RequestHead): Promise<AuthenticateAnswer | JsonBytes>;
  authorize(this: void, attempt: EngineCalls['authorize']['params']): Promise<AuthorizeAnswer | JsonBytes>;
}

type Authenticate = (request: Request) => unknown;
type Handler = (attempt: object) => unknown;

/** Requests are seen below the deployment's address, as from its own origin. */
const ORIGIN = 'http://localhost';
/** Answered where a handler fails; what it threw stands in the deployment's log. */
const FAILED = { status: 500, message: 'The deployment’s own auth failed.' };

/** Throws a sentence that begins with `who` when the export can't tell who calls. */
export function createAuth(exported: unknown, who: string): LoadedAuth {
  const { authenticate, callbacks } = handlersOf(exported, who);
  const handlers = Object.keys(callbacks).filter((name) => typeof callbacks[name] === 'function');
  return {
    facts: { handlers },
    authenticate: async ({ method, url, headers }) => {
      try {
        const request = new Request(new URL(url, ORIGIN), {
          method,
          headers: headers.map(([...pair]) => pair),
        });
        const said = await authenticate(request);
        if (isNobody(said)) return { refused: { status: 401, message: 'Unauthorized' } };
        // Its answer may not be JSON. It is written here, so that this counts as its own failure.
        return checkedResult('authenticate', { user: userOf(said) });
      } catch (error) {
        return { refused: refusalOf(error) ?? failed(`${who}: authenticate`, error) };
      }
    },
    authorize: async ({ user, resource, action, value }) => {
      const name = handlerFor(handlers, { resource, action });
      if (name === undefined) return { allowed: true, filters: null, value };
      try {
        const event = `${resource}:${action}`;
        const permissions = user.permissions;
        const result = await callbacks[name]?.({ event, resource, action, value, permissions, user });
        return checkedResult('authorize', authorizedOf(result, value));
      } catch (error) {
        return { allowed: false, ...(refusalOf(error) ?? failed(`${who}: the handler of "${name}"`, error)) };
      }
    },
  };
}

function handlersOf(
  exported: unknown,
  who: string,
): { readonly authenticate: Authenticate; readonly callbacks: Readonly<Record<string, Handler>> } {
  const found: unknown = (exported as { '~handlerCache'?: unknown } | null)?.['~handlerCache'];
  if (typeof found !== 'object' || found === null)
    throw new LoadError(`${who} is not an Auth of @langchain/langgraph-sdk/auth.`);
  const { authenticate, callbacks = {} } = found as {
    authenticate?: Authenticate;
    callbacks?: Record<string, Handler>;
  };
  // Without it nobody would be refused.
  if (typeof authenticate !== 'function')
    throw new LoadError(`${who} has no handler that tells who calls: call its method "authenticate".`);
  return { authenticate, callbacks: { ...callbacks } };
}

function failed(what: string, thrown: unknown): typeof FAILED {
  const why = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  process.stderr.write(`${what} failed: ${why}\n`);
  return FAILED;
}
