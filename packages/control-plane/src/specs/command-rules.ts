import { Problem } from '@roadstead/kit';

/** Decides which commands and paths a build accepts; they reach a shell or a file system later. */

/** Quotes, escapes, line ends and everything that a shell would read as a second command or a redirection. */
const refused = ['"', '`', '\\', '\n', '\r', '\0', '\t', '|', ';', '$', '>', '<'] as const;
const names: Readonly<Record<string, string>> = {
  '\n': 'a line end',
  '\r': 'a line end',
  '\0': 'a NUL',
  '\t': 'a tab',
};

/** Throws `invalid` when a command has a character that it may not have. `&&` joins commands; a single `&` is refused. */
export function checkCommand(field: string, command: string): void {
  const found = refused.find((character) => command.includes(character));
  const ampersand = command.replaceAll('&&', '').includes('&') ? 'a single &' : undefined;
  const what = found === undefined ? ampersand : (names[found] ?? found);
  if (what === undefined) return;
  throw new Problem('invalid', `${field} may not contain ${what}; join commands with &&.`);
}

/** Throws `invalid` when a path could name something outside the source. */
export function checkConfigPath(path: string): void {
  const leaves = path.split('/').includes('..');
  const isAbsolute = path.startsWith('/') || /^[a-z]:/i.test(path);
  const isOdd = path.includes('\\') || /\p{Cc}/u.test(path) || path.trim() === '' || path.endsWith('/');
  if (leaves || isAbsolute || isOdd)
    throw new Problem(
      'invalid',
      'source_revision_config.langgraph_config_path must be a path to a file, relative to the root of the source and inside it.',
      { hint: 'For example langgraph.json.' },
    );
}

/** Throws `invalid` for an address with more than a scheme, a host and a path. */
export function checkCustomUrl(custom_url: string): void {
  const { username, password, search, hash } = new URL(custom_url);
  if (`${username}${password}${search}${hash}` !== '')
    throw new Problem(
      'invalid',
      'source_config.custom_url must have neither credentials nor a query nor a fragment.',
    );
}
