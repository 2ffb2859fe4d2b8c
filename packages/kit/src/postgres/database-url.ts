import { escapeIdentifier } from 'pg';

/**
 * The same server and login, another database. Takes addresses over TCP (`postgresql://user@host:5432/db?sslmode=…`)
 * and over a socket (`postgresql://user:password@/db?host=/folder`).
 * @throws Error when `url` is neither; the message does not repeat it, since it may hold a password.
 */
export function withDatabaseName(url: string, database: string): string {
  const { server, query } = split(url);
  return `${server}/${encodeURIComponent(database)}${query === '' ? '' : `?${query}`}`;
}

/** The address with settings for each session, after those that it already has; undefined ones are left out. */
export function withSessionOptions(url: string, settings: Record<string, string | undefined>): string {
  const { server, path, query } = split(url);
  const params = new URLSearchParams(query);
  const chosen = Object.entries(settings).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [`-c ${name}=${escapeOption(name === 'search_path' ? escapeIdentifier(value) : value)}`],
  );
  params.set('options', [params.get('options') ?? '', ...chosen].join(' ').trim());
  // A plus sign is a space to browsers only; libpq and pg read it as it stands.
  return `${server}${path}?${params.toString().replaceAll('+', '%20')}`;
}

/** The server splits options at spaces. */
const escapeOption = (value: string) => value.replaceAll(/[\\\s]/g, String.raw`\$&`);

function split(url: string) {
  const [, server, path, query] = /^(postgres(?:ql)?:\/\/[^/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/.exec(url) ?? [];
  if (server === undefined) {
    throw new Error('A database address must look like postgresql://user:password@host:5432/database.');
  }
  return { server, path: path ?? '', query: query ?? '' };
}
