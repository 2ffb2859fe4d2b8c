import { z } from 'zod';
import { isWellFormed } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit';

/**
 * Turns the description of a client, sent at registration (RFC 7591) or read from the address that is its id, into a
 * public client, whatever it asks to be; members that we do not use are ignored.
 */

export const GRANT_TYPES = [
  'authorization_code',
  'refresh_token',
  'urn:ietf:params:oauth:grant-type:device_code',
] as const;

export interface ClientMetadata {
  readonly redirect_uris: readonly string[];
  readonly client_name?: string;
  readonly client_uri?: string;
  readonly logo_uri?: string;
  readonly grant_types: readonly string[];
  readonly response_types: readonly string[];
  readonly token_endpoint_auth_method: 'none';
  /** The same for every client, so that a loopback address may have any port (RFC 8252). */
  readonly application_type: 'native';
}

const MAX_URIS = 20;
const MAX_URI_CHARS = 2000;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
/** Schemes that a browser runs, shows or passes on itself. */
const NO_APP = new Set(
  'javascript vbscript data blob file about filesystem view-source ftp ws wss mailto tel sms intent jar'
    .split(' ')
    .map((scheme) => `${scheme}:`),
);

const Described = z.looseObject({
  redirect_uris: z.array(z.string().max(MAX_URI_CHARS)).max(MAX_URIS).optional().catch(undefined),
  client_name: z.string().optional().catch(undefined),
  client_uri: z.string().optional().catch(undefined),
  logo_uri: z.string().optional().catch(undefined),
  grant_types: z.array(z.string()).optional().catch(undefined),
});

/** @throws Problem with the code `invalid_redirect_uri` or `invalid_client_metadata` */
export function publicClient(described: unknown): ClientMetadata {
  const read = Described.safeParse(described);
  if (!read.success)
    throw refusal('invalid_client_metadata', 'The description of a client is a JSON object.');
  const { redirect_uris = [], client_name, client_uri, logo_uri, grant_types } = read.data;
  const only_device =
    grant_types?.every((type) => type === GRANT_TYPES[2] || type === 'refresh_token') === true;
  if (redirect_uris.length === 0 && !only_device)
    throw refusal(
      'invalid_redirect_uri',
      `redirect_uris must hold 1 to ${MAX_URIS} addresses of at most ${MAX_URI_CHARS} characters.`,
    );
  for (const uri of redirect_uris) checkRedirectUri(uri);
  const name = nameOf(client_name);
  return {
    redirect_uris,
    ...(name === undefined ? {} : { client_name: name }),
    ...(isWebUri(client_uri) ? { client_uri } : {}),
    ...(isWebUri(logo_uri) ? { logo_uri } : {}),
    grant_types: redirect_uris.length === 0 ? GRANT_TYPES.slice(1) : GRANT_TYPES,
    response_types: redirect_uris.length === 0 ? [] : ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  };
}

/** https, http of this machine, or a scheme of the client's own. */
function checkRedirectUri(uri: string): void {
  const parsed = isWellFormed(uri) && !/[\s\\]/.test(uri) ? URL.parse(uri) : null;
  if (parsed === null)
    throw refusal('invalid_redirect_uri', 'redirect_uris holds a value that is no address.');
  const { protocol, hostname } = parsed;
  if (uri.includes('#'))
    throw refusal('invalid_redirect_uri', 'An address in redirect_uris must have no fragment.');
  if (parsed.username !== '' || parsed.password !== '')
    throw refusal('invalid_redirect_uri', 'An address in redirect_uris must not hold a password.');
  if (NO_APP.has(protocol))
    throw refusal('invalid_redirect_uri', `redirect_uris must not use the scheme ${protocol.slice(0, -1)}.`);
  if (protocol === 'http:' && !LOOPBACK.has(hostname))
    throw refusal(
      'invalid_redirect_uri',
      'An http address in redirect_uris must be on localhost; elsewhere use https.',
    );
  if (protocol === 'https:' && LOOPBACK.has(hostname))
    throw refusal('invalid_redirect_uri', 'On localhost, an address in redirect_uris is http.');
}

/** The client's name as the person who consents sees it: short, and without characters that hide or reorder text. */
function nameOf(text: string | undefined): string | undefined {
  const name = text
    ?.toWellFormed()
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, 100);
  return name === '' ? undefined : name;
}

const isWebUri = (text: string | undefined): text is string =>
  text !== undefined && text.length <= MAX_URI_CHARS && URL.parse(text)?.protocol === 'https:';

const refusal = (code: string, message: string) => new Problem('invalid', message, { code });
