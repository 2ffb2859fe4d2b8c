/** How registries of images ask for a credential. Pure. */

/** How a registry wants to be asked. */
export interface Challenge {
  readonly scheme: 'basic' | 'bearer';
  readonly realm: string;
  readonly service: string | undefined;
  readonly scope: string | undefined;
}

/** Reads `WWW-Authenticate` (RFC 9110, 11.6.1); undefined where it has neither of the schemes of registries. */
export function challengeOf(header: string): Challenge | undefined {
  const [, scheme = '', rest = ''] = /^\s*(basic|bearer)\s+([^\n]{0,4096})$/i.exec(header) ?? [];
  if (scheme === '') return undefined;
  const pairs = [...rest.matchAll(/([a-z]+)="([^"]*)"/gi)].map(([, name = '', value = '']) => [
    name.toLowerCase(),
    value,
  ]);
  const { realm = '', service, scope } = Object.fromEntries(pairs) as Partial<Record<string, string>>;
  const kind = scheme.toLowerCase() as Challenge['scheme'];
  if (kind === 'bearer' && !URL.canParse(realm)) return undefined;
  return { scheme: kind, realm, service, scope };
}

/** The address at which a registry gives out a token for some of it. */
export function tokenAddress({ realm, service }: Challenge, scopes: readonly string[]): URL {
  const url = new URL(realm);
  if (service !== undefined) url.searchParams.set('service', service);
  for (const scope of scopes) url.searchParams.append('scope', scope);
  return url;
}
