/** Where Python packages come from, as pip and uv are told it. Pure. */

/** The index that pip and uv use where nobody names another. */
const PUBLIC_INDEX = 'https://pypi.org/simple';

export interface IndexSettings {
  /** The index that stands in the public one’s place. */
  readonly default_index: string | undefined;
  /** Indexes that are asked before it. */
  readonly extra_indexes: readonly string[];
  /** Folders, or pages, with packages. */
  readonly find_links: readonly string[];
  /** Hosts whose certificates need not be valid. */
  readonly insecure_hosts: readonly string[];
  readonly uses_no_index: boolean;
  /** A file of certificates. */
  readonly certificates: string | undefined;
  /** How uv treats several indexes. */
  readonly strategy: string | undefined;
}

export const noSettings: IndexSettings = {
  default_index: undefined,
  extra_indexes: [],
  find_links: [],
  insecure_hosts: [],
  uses_no_index: false,
  certificates: undefined,
  strategy: undefined,
};

/** The first that says anything about a matter counts. */
export function mergeSettings(all: readonly IndexSettings[]): IndexSettings {
  const list = (name: 'extra_indexes' | 'find_links' | 'insecure_hosts') =>
    all.find((one) => one[name].length > 0)?.[name] ?? [];
  const text = (name: 'default_index' | 'certificates' | 'strategy') =>
    all.find((one) => one[name] !== undefined)?.[name];
  return {
    default_index: text('default_index'),
    extra_indexes: list('extra_indexes'),
    find_links: list('find_links'),
    insecure_hosts: list('insecure_hosts'),
    uses_no_index: all.some(({ uses_no_index }) => uses_no_index),
    certificates: text('certificates'),
    strategy: text('strategy'),
  };
}

/** All indexes in the order in which they are asked. */
export const indexesOf = ({ extra_indexes, default_index, uses_no_index }: IndexSettings): string[] =>
  uses_no_index ? [] : [...extra_indexes, default_index ?? PUBLIC_INDEX];

/** Logins in addresses, which must not appear in any log. */
export function secretsOf({ default_index, extra_indexes, find_links }: IndexSettings): string[] {
  const addresses = [
    ...extra_indexes,
    ...find_links,
    ...(default_index === undefined ? [] : [default_index]),
  ];
  return addresses.flatMap((address) => {
    const login = /^\w+:\/\/([^@/\s]+)@/.exec(address)?.[1] ?? '';
    // A token may be the name of a user, too. Programs may show each part as it is sent.
    const parts = [login, login.split(':')[0] ?? '', login.split(':').slice(1).join(':')];
    return [...new Set(parts.flatMap((part) => [part, decoded(part)]))].filter((part) => part !== '');
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
