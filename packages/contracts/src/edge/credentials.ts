/**
 * The headers in which real clients put a credential and a workspace. Every edge reads them here, so that all read them
 * alike.
 */

export const CREDENTIAL_HEADERS = ['x-api-key', 'service-api-key', 'langsmith-api-key'] as const;
/** How our own credentials begin: keys, and access tokens. Any other password is somebody else's. */
const OURS = /^(?:rs_|eyJ)/;
const WORKSPACE_HEADERS = ['x-tenant-id', 'service-workspace-id', 'langsmith-workspace-id'] as const;

/**
 * The credential of a request: the first header that is not empty, then `Authorization: Bearer`, or the password of `Basic` where it is
 * one of ours: clients of registries have no other place for it.
 */
export function credentialOf(headers: Headers): string | undefined {
  return credentialsOf(headers)[0];
}

/** Every credential that a request carries, in that order. */
export function credentialsOf(headers: Headers): string[] {
  const bearer = /^Bearer\s+(\S+)$/i.exec(headerOf(headers, 'authorization') ?? '')?.[1];
  // A browser sends a password again by itself, also for pages of others.
  const isPage = headers.has('origin') || headers.has('sec-fetch-site');
  const password = isPage ? undefined : basicPasswordOf(headers);
  const ours = password !== undefined && OURS.test(password) ? password : undefined;
  return [...CREDENTIAL_HEADERS.map((name) => headerOf(headers, name)), bearer, ours].filter(
    (value) => value !== undefined,
  );
}

/** The names of the headers in which a request carries this credential. */
export function headersWith(headers: Headers, credential: string): string[] {
  return [...CREDENTIAL_HEADERS, 'authorization'].filter(
    (name) =>
      headers.get(name)?.includes(credential) === true ||
      (name === 'authorization' && basicPasswordOf(headers) === credential),
  );
}

/** The password of `Authorization: Basic`, whoever the user is (RFC 7617). */
export function basicPasswordOf(headers: Headers): string | undefined {
  const encoded = /^Basic\s+([\w+/-]+={0,2})$/i.exec(headerOf(headers, 'authorization') ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const pair = Buffer.from(encoded, 'base64').toString();
  const at = pair.indexOf(':');
  return at < 0 || at === pair.length - 1 ? undefined : pair.slice(at + 1);
}

/** The workspace that a request names; an empty header names none. */
export function workspaceIdOf(headers: Headers): string | undefined {
  return firstHeaderOf(headers, WORKSPACE_HEADERS);
}

export function firstHeaderOf(headers: Headers, names: readonly string[]): string | undefined {
  return names.map((name) => headerOf(headers, name)).find((value) => value !== undefined);
}

/** A header that was sent twice arrives joined by commas; the same value twice is that value. */
function headerOf(headers: Headers, name: string): string | undefined {
  const value = headers.get(name)?.trim() ?? '';
  const [first = '', ...others] = value.split(',').map((part) => part.trim());
  const one = others.every((other) => other === first) ? first : value;
  return one === '' ? undefined : one;
}
