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

type SessionSettings = Readonly<Record<string, string | undefined>>;

/**
 * The address with settings for each session: settings that it has already take precedence over the defaults, and
 * ours over both. Undefined ones are left out.
 */
export function withSessionOptions(
  url: string,
  ours: SessionSettings,
  defaults: SessionSettings = {},
): string {
  const { server, path, query } = split(url);
  const params = new URLSearchParams(query);
  const options = [...optionsOf(defaults), params.get('options') ?? '', ...optionsOf(ours)];
  params.set('options', options.join(' ').trim());
  // A plus sign is a space to browsers only; libpq and pg read it literally.
  return `${server}${path}?${params.toString().replaceAll('+', '%20')}`;
}

const optionsOf = (settings: SessionSettings) =>
  Object.entries(settings).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [`-c ${name}=${escapeOption(name === 'search_path' ? escapeIdentifier(value) : value)}`],
  );

/** The server splits options at spaces. */
const escapeOption = (value: string) => value.replaceAll(/[\\\s]/g, String.raw`\$&`);

function split(url: string) {
  const [, server, path, query] = /^(postgres(?:ql)?:\/\/[^/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/.exec(url) ?? [];
  if (server === undefined) {
    throw new Error('A database address must look like postgresql://user:password@host:5432/database.');
  }
  return { server, path: path ?? '', query: query ?? '' };
}
