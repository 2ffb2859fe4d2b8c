import type { AskingClient } from './oauth-ports.ts';

/** The name of the application, in words that promise no more than is known. */

export const clientNameOf = ({ name }: Pick<AskingClient, 'name'>): string =>
  shortened(name ?? '') || 'An application without a name';

const MAX_NAME = 80;

/**
 * The name without characters that could change what the page says: control characters, marks that turn the direction
 * of writing.
 */
function shortened(name: string): string {
  const plain = name
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return plain.length > MAX_NAME ? `${plain.slice(0, MAX_NAME)}…` : plain;
}

/** The source of the name, which decides how far it can be trusted. */
export function vouchedBy({ id, is_metadata_document }: AskingClient): string {
  const host = URL.parse(id)?.host;
  return is_metadata_document && host !== undefined
    ? `It is described at ${host}, which vouches for its name.`
    : 'No one has checked this name. Go on only if you started this yourself.';
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Where the browser goes when somebody has authorized it, as a noun phrase; undefined for a device. */
export function destinationOf({ redirect_uri }: Pick<AskingClient, 'redirect_uri'>): string | undefined {
  const url = redirect_uri === null ? null : URL.parse(redirect_uri);
  if (url === null) return undefined;
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return `the program on this computer that opens ${url.protocol} addresses`;
  return LOOPBACK.test(url.hostname) ? `a program on this computer (${url.host})` : url.host;
}
