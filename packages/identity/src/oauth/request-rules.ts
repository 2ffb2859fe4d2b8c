import { Scope } from '@roadstead/contracts';
import {
  CONSOLE_CLIENT,
  isOAuthScope,
  isOwnResource,
  OAUTH_READS,
  OAUTH_SCOPES,
  type OAuthScope,
} from '@roadstead/contracts/identity';

/**
 * Adapts requests of real clients to the library. They send parameters of OpenID Connect, unknown scopes, any address
 * of ours as the resource or no resource at all, and secrets, which public clients don't have.
 */

/** The scopes that the client asked for, kept beside those that may be granted. */
export const ASKED_SCOPE = 'asked_scope';

/** The time of the request in milliseconds; the library keeps seconds, in which somebody may have signed in just before. */
export const ASKED_MS = 'asked_ms';

/** The workspace that the console asks for, of those in which the person is signed in. */
export const WORKSPACE = 'workspace';

/** All scopes that a client may ever be given: an application never gets those that administer. */
export const scopesFor = (client_id: string): readonly Scope[] =>
  client_id === CONSOLE_CLIENT ? Scope.options : OAUTH_SCOPES;

export const mcpResource = (public_url: string) => `${public_url}/mcp`;

const AUTHORIZE = [
  'client_id',
  'response_type',
  'redirect_uri',
  'state',
  'response_mode',
  'code_challenge',
  'code_challenge_method',
  'resource',
] as const;
const TOKEN = [
  'grant_type',
  'client_id',
  'code',
  'redirect_uri',
  'code_verifier',
  'refresh_token',
  'device_code',
  'resource',
] as const;
const PROMPTS = new Set(['none', 'login', 'consent', 'select_account']);

/**
 * An authorization request, from a browser or a device. It asks for every scope that may be granted: the person who
 * consents chooses.
 */
export function authorizationParameters(
  given: URLSearchParams,
  { public_url, now_ms }: { readonly public_url: string; readonly now_ms: number },
): URLSearchParams {
  const taken = pick(given, AUTHORIZE, public_url);
  // That mode needs a page with a script, and we have no such page.
  if (taken.get('response_mode') === 'form_post') taken.delete('response_mode');
  const prompt = (given.get('prompt') ?? '').split(' ').filter((one) => PROMPTS.has(one));
  if (prompt.length > 0) taken.set('prompt', prompt.join(' '));
  const client_id = taken.get('client_id') ?? '';
  taken.set('scope', scopesFor(client_id).join(' '));
  const workspace_id = given.get(WORKSPACE);
  if (client_id === CONSOLE_CLIENT && workspace_id !== null) taken.set(WORKSPACE, workspace_id);
  taken.set(ASKED_SCOPE, askedScopes(given.getAll('scope').join(' ')).join(' '));
  taken.set(ASKED_MS, String(now_ms));
  return taken;
}

/** Our scopes among those that the client asked for; the reading ones where it asked for none of ours. */
export function askedScopes(text: string): readonly OAuthScope[] {
  const known = [...new Set(text.split(/\s+/).filter(isOAuthScope))];
  return known.length > 0 ? known : OAUTH_READS;
}

/**
 * A token request. A refresh yields the granted scopes, whatever scope it names: clients repeat those that they first
 * asked for, of which some may have been declined and others added. The answer lists the granted ones.
 */
export function tokenParameters(
  given: URLSearchParams,
  { public_url, authorization }: { readonly public_url: string; readonly authorization: string | null },
): URLSearchParams {
  const taken = pick(given, TOKEN, public_url);
  if (!taken.has('client_id')) {
    const client_id = basicUser(authorization);
    if (client_id !== undefined) taken.set('client_id', client_id);
  }
  return taken;
}

function pick(given: URLSearchParams, names: readonly string[], public_url: string): URLSearchParams {
  const taken = new URLSearchParams();
  for (const name of names)
    for (const value of new Set(
      given.getAll(name).map((one) => (name === 'resource' ? own(one, public_url) : one)),
    ))
      taken.append(name, value);
  return taken;
}

/** All addresses of ours are one resource. */
const own = (resource: string, public_url: string) =>
  isOwnResource(resource, public_url) ? mcpResource(public_url) : resource;

/** A public client may still send its id as the user of `Authorization: Basic`. */
function basicUser(authorization: string | null): string | undefined {
  const encoded = /^Basic\s+(\S+)$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  try {
    return decodeURIComponent(Buffer.from(encoded, 'base64').toString().split(':')[0] ?? '') || undefined;
  } catch {
    return undefined;
  }
}
