/** How registries of images ask for a credential. Pure. */

/** How a registry wants to be asked. */
export interface Challenge {
  readonly scheme: 'basic' | 'bearer';
  readonly realm: string;
  readonly service: string | undefined;
  readonly scope: string | undefined;
}

interface Offer {
  readonly scheme: string;
  readonly parameters: Map<string, string>;
}

const MAX_LENGTH = 4096;
const NAME = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const PARAMETER = new RegExp(
  String.raw`(${NAME})[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|(${NAME}))[ \t]*(?:,|$)`,
  'y',
);
/** One with a token of its own in the place of parameters is none that registries have. */
const SCHEME = new RegExp(String.raw`(${NAME})(?:[ \t]+[A-Za-z0-9._~+/-]+=*[ \t]*(?:,|$)|[ \t]+|,|$)`, 'y');

/**
 * Reads `WWW-Authenticate` (RFC 9110, 11.6.1). Where both schemes of registries are offered, the one with tokens is taken. Undefined
 * where none is, or where the header can't be read.
 */
export function challengeOf(header: string): Challenge | undefined {
  const offers = offersOf(header) ?? [];
  const offer = ['bearer', 'basic'].flatMap((scheme) => offers.find((one) => one.scheme === scheme) ?? [])[0];
  if (offer === undefined) return undefined;
  const { parameters } = offer;
  const realm = parameters.get('realm') ?? '';
  const scheme = offer.scheme as Challenge['scheme'];
  if (scheme === 'bearer' && !URL.canParse(realm)) return undefined;
  return { scheme, realm, service: parameters.get('service'), scope: parameters.get('scope') };
}

/** Undefined where some of it can't be read. */
function offersOf(header: string): Offer[] | undefined {
  if (header.length > MAX_LENGTH) return undefined;
  const offers: Offer[] = [];
  let at = 0;
  const next = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.exec(header);
    if (found !== null) at += found[0].length;
    return found;
  };
  for (;;) {
    next(/[ \t,]*/y);
    if (at >= header.length) return offers;
    const [, name, quoted, plain = ''] = next(PARAMETER) ?? [];
    if (name === undefined) {
      const [, scheme] = next(SCHEME) ?? [];
      if (scheme === undefined) return undefined;
      offers.push({ scheme: scheme.toLowerCase(), parameters: new Map() });
    } else {
      const offer = offers.at(-1);
      if (offer === undefined) return undefined;
      offer.parameters.set(name.toLowerCase(), quoted?.replaceAll(/\\(.)/g, '$1') ?? plain);
    }
  }
}

/** The address at which a registry gives out a token for some of it. */
export function tokenAddress({ realm, service }: Challenge, scopes: readonly string[]): URL {
  const url = new URL(realm);
  if (service !== undefined) url.searchParams.set('service', service);
  for (const scope of scopes) url.searchParams.append('scope', scope);
  return url;
}
