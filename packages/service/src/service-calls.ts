import { ASSERTION_HEADER, type Audience, type Client, type ClientFetch } from '@roadstead/contracts';
import type { IdentityContract } from '@roadstead/contracts/identity';
import { patientFetch } from './patient-fetch.ts';

/** An assertion is renewed this long before it expires. */
const RENEW_BEFORE_MS = 20_000;
const MAX_CACHED = 1000;

/** A signed statement of who calls. */
export interface IssuedAssertion {
  readonly assertion: string;
  readonly expires_at: string;
}

/** Calls of one of our services to another, with an assertion for it and one workspace, which identity signs. */
export interface ServiceCalls {
  /** A `fetch` for a client of `audience` that acts in a workspace. */
  to(
    audience: Audience,
    options: { readonly workspace_id: string; readonly fetch?: ClientFetch },
  ): ClientFetch;
  /** The assertion itself. */
  assertion(audience: Audience, workspace_id: string): Promise<string>;
}

/** @param identity a client that holds this service's own key. */
export function createServiceCalls(
  identity: Pick<Client<IdentityContract>, 'createServiceAssertion'>,
  { now = Date.now }: { readonly now?: () => number } = {},
): ServiceCalls {
  const issued = new Map<string, Promise<IssuedAssertion>>();
  const assertionFor = async (audience: Audience, workspace_id: string): Promise<string> => {
    const name = `${audience} ${workspace_id}`;
    const known = await issued.get(name)?.catch(() => undefined);
    if (known !== undefined && Date.parse(known.expires_at) - RENEW_BEFORE_MS > now()) return known.assertion;
    if (issued.size >= MAX_CACHED) issued.clear();
    const fresh = identity.createServiceAssertion({ body: { audience, workspace_id } });
    issued.set(name, fresh);
    return (await fresh).assertion;
  };
  return {
    assertion: assertionFor,
    to: (audience, { workspace_id, fetch: send = patientFetch }) => {
      return async (request, init) => {
        request.headers.set(ASSERTION_HEADER, await assertionFor(audience, workspace_id));
        return send(request, init);
      };
    },
  };
}
