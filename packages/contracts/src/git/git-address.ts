/** The address of a repository, as a user gave it. */
export interface GitAddress {
  readonly transport: 'https' | 'ssh';
  /** A name in lower case, or an address without brackets. */
  readonly host: string;
  readonly port: number;
  /** The user at an ssh server; null with https, whose credentials come from an integration. */
  readonly user: string | null;
  /** Begins with a slash. */
  readonly path: string;
  /** The whole address in one form. */
  readonly url: string;
}

export type ReadGitAddress =
  | { readonly kind: 'read'; readonly address: GitAddress }
  | { readonly kind: 'refused'; readonly message: string };

const MAX_LENGTH = 2048;
const PORTS = { https: 443, ssh: 22 } as const;

const NAME = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i;
const USER = /^[a-z0-9_][a-z0-9_.-]*$/i;
/** `git@host:path`, as hosts show it; an IPv6 address is in brackets. */
const SHORT = /^(?:(?<user>[^@/:]+)@)?(?<host>\[[0-9a-f:.]+\]|[^@/:[\]]+):(?!\/\/)(?<path>.+)$/i;

const refuse = (message: string): ReadGitAddress => ({ kind: 'refused', message });

/**
 * Reads the address of a repository: `https://…`, `ssh://…` or the short form `git@host:path`. Anything else that git
 * knows, such as a path, a helper or a protocol without encryption, is refused in a sentence that doesn't repeat it.
 */
export function readGitAddress(text: string): ReadGitAddress {
  if (text.length > MAX_LENGTH) return refuse(`It has more than ${MAX_LENGTH} characters.`);
  // Refuses whitespace, control characters, and anything that a program would take for an option.
  if (!/^[!-~]+$/.test(text) || text.startsWith('-'))
    return refuse(
      'It is no address: it begins with a hyphen, or holds characters that an address can not hold.',
    );
  if (/^[a-z0-9+.-]+::/i.test(text))
    return refuse('A git remote helper is not called; give an https or ssh address.');
  const scheme = /^([a-z0-9+.-]+):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return shortForm(text);
  if (scheme === 'http')
    return refuse('http is not encrypted, so that anybody on the way could change what is built; use https.');
  if (scheme !== 'https' && scheme !== 'ssh')
    return refuse('Only https and ssh addresses of repositories are fetched.');
  const url = URL.parse(text);
  return url === null ? refuse('It is no valid address.') : longForm(scheme, url);
}

function shortForm(text: string): ReadGitAddress {
  const { user, host, path } = SHORT.exec(text)?.groups ?? {};
  if (host === undefined || path === undefined)
    return refuse('It is a path; give the https or ssh address of a repository.');
  const url = URL.parse(`ssh://${user === undefined ? '' : `${user}@`}${host}/${path.replace(/^\/+/, '')}`);
  return url === null ? refuse('It is no valid address.') : longForm('ssh', url);
}

function longForm(transport: 'https' | 'ssh', url: URL): ReadGitAddress {
  const host = url.hostname.toLowerCase();
  const isAddress = /^\[[0-9a-f:.]+\]$/.test(host);
  if (!isAddress && !NAME.test(host)) return refuse('Its host is no valid name.');
  if (url.password !== '' || (transport === 'https' && url.username !== ''))
    return refuse('It holds a user name or a password; credentials come from an integration.');
  if (url.username !== '' && !USER.test(url.username)) return refuse('Its user name is not valid.');
  if (url.search !== '' || url.hash !== '' || /[?#]/.test(url.href))
    return refuse('An address of a repository has neither a query nor a fragment.');
  const path = url.pathname.replace(/\/+$/, '');
  if (path === '') return refuse('It names a host, and no repository.');
  const port = url.port === '' ? PORTS[transport] : Number(url.port);
  if (port === 0) return refuse('Its port is not valid.');
  const user = transport === 'ssh' && url.username !== '' ? url.username : null;
  const at = `${host}${port === PORTS[transport] ? '' : `:${port}`}`;
  const whole = `${transport}://${user === null ? '' : `${user}@`}${at}${path}`;
  return {
    kind: 'read',
    address: { transport, host: host.replace(/^\[(.*)\]$/, '$1'), port, user, path, url: whole },
  };
}
