import { type Access, allows, type Principal } from '@roadstead/contracts';
import { isOAuthScope, OAUTH_READS } from '@roadstead/contracts/identity';
import { Problem } from '@roadstead/kit';

/** Informs clients where to sign in (RFC 9728), and which scope they lack (RFC 6750). */

interface Challenge {
  /** The origin. */
  readonly public_url: string;
  /** `/mcp` or `/api/mcp`. */
  readonly path: string;
  readonly error?: 'invalid_token' | 'insufficient_scope' | undefined;
  readonly scopes?: readonly Access[];
}

export function challenge({ public_url, path, error, scopes = OAUTH_READS }: Challenge): string {
  const parameters = {
    ...(error === undefined ? {} : { error }),
    resource_metadata: `${public_url}/.well-known/oauth-protected-resource${path}`,
    scope: scopes.join(' '),
  };
  return `Bearer ${Object.entries(parameters)
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')}`;
}

export const BOTH_WAYS =
  'This needs an API key, sent as the header X-Api-Key, or that you sign in: an MCP client that speaks OAuth finds where in the header WWW-Authenticate.';

interface CalledTool {
  readonly name: string;
  readonly access: Access | undefined;
}

/**
 * The scope that a signed-in caller lacks for a tool, so that its client can request it. Undefined where the call is
 * allowed, or where signing in would not help.
 */
export function missingScope(
  { actor, scopes }: Principal,
  {
    called,
    tools,
    ...where
  }: Challenge & {
    /** The name of the tool that a message calls. */ readonly called: string | undefined;
    readonly tools: readonly CalledTool[];
  },
): Problem | undefined {
  if (!actor.startsWith('oauth:')) return undefined;
  const access = tools.find((tool) => tool.name === called)?.access;
  if (access === undefined || !isOAuthScope(access) || allows(scopes, [access])) return undefined;
  // The scopes it has are listed too: clients request what is listed, and no more.
  const wanted = [...new Set([...scopes.filter(isOAuthScope), access])];
  return new Problem(
    'forbidden',
    `The tool ${called} needs the scope ${access}, which you did not give when you signed in.`,
    {
      hint: 'Sign in again and tick it.',
      headers: { 'www-authenticate': challenge({ ...where, error: 'insufficient_scope', scopes: wanted }) },
    },
  );
}
