import { originAsAsked } from '@roadstead/contracts';
import { type discovery, OAUTH_SCOPES } from '@roadstead/contracts/identity';
import type { Call, Handlers } from '@roadstead/http';

/** The documents that clients and other servers read before their first request. */
export function discoveryHandlers({
  public_url,
  public_keys,
}: {
  readonly public_url: string;
  readonly public_keys: () => Promise<readonly object[]>;
}): Handlers<typeof discovery> {
  const resource = async ({ request }: Pick<Call, 'request'>) => protectedResource(request, public_url);
  return {
    readProtectedResource: resource,
    readMcpProtectedResource: resource,
    readApiProtectedResource: resource,
    readApiMcpProtectedResource: resource,
    readOAuthKeys: async () => ({ keys: (await public_keys()).map((key) => ({ ...key })) }),
  };
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** The resource bears the name that the client wrote, since the client compares the two (RFC 9728, section 3.3). */
function protectedResource({ url }: Request, public_url: string): Response {
  const { pathname, search } = new URL(url);
  const path = pathname.replace(WELL_KNOWN, '').replace(/\/$/, '') + search;
  return Response.json(
    {
      resource: originAsAsked(public_url, url) + path,
      resource_name: 'Roadstead',
      authorization_servers: [public_url],
      scopes_supported: OAUTH_SCOPES,
      bearer_methods_supported: ['header'],
    },
    { headers: { 'cache-control': 'public, max-age=300' } },
  );
}
