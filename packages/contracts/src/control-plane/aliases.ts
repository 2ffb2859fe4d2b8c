export const sourceAliasNames = ['github', 'external_docker', 'internal_docker'] as const;

/** Names that real clients send where the specification uses others, with our names for them. */
const sourceAliases: Readonly<Record<(typeof sourceAliasNames)[number], string>> = {
  github: 'git',
  external_docker: 'external_image',
  internal_docker: 'internal_image',
};

const keyAliases: Readonly<Record<string, string>> = {
  k8s_namespace: 'cluster_namespace',
  k8s_namespaces: 'cluster_namespaces',
};
const REDIS = 'redis_';

/** Renames the keys of an object by the table; a value under our own name wins over its alias. */
export function withOurKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [ourKey(key), inner] as const);
  return { ...Object.fromEntries(entries.filter(([key]) => !(key in value))), ...keepOurs(value) };
}

export function withOurSource(value: unknown): unknown {
  const name = sourceAliasNames.find((alias) => alias === value);
  return name === undefined ? value : sourceAliases[name];
}

function ourKey(key: string): string {
  if (key.startsWith(REDIS)) return `cache_${key.slice(REDIS.length)}`;
  return keyAliases[key] ?? key;
}

function keepOurs(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([key]) => ourKey(key) === key));
}
