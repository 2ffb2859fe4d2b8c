/**
 * The headers in which real clients put a credential and a workspace. Every edge reads them here, so that all read them
 * alike.
 */

export const CREDENTIAL_HEADERS = ['x-api-key', 'service-api-key', 'langsmith-api-key'] as const;
const WORKSPACE_HEADERS = ['x-tenant-id', 'service-workspace-id', 'langsmith-workspace-id'] as const;

/** The credential of a request: the first header that is not empty, then `Authorization: Bearer`. */
export function credentialOf(headers: Headers): string | undefined {
  return credentialsOf(headers)[0];
}

/** Every credential that a request carries, in that order. */
export function credentialsOf(headers: Headers): string[] {
  const bearer = /^Bearer\s+(\S+)$/i.exec(headerOf(headers, 'authorization') ?? '')?.[1];
  return [...CREDENTIAL_HEADERS.map((name) => headerOf(headers, name)), bearer].filter(
    (value) => value !== undefined,
  );
}

/** The names of the headers in which a request carries this credential. */
export function headersWith(headers: Headers, credential: string): string[] {
  return [...CREDENTIAL_HEADERS, 'authorization'].filter(
    (name) => headers.get(name)?.includes(credential) === true,
  );
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
