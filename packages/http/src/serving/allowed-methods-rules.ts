import { addresses, type Contract, type Endpoint } from '@roadstead/contracts';

export interface AllowedMethods {
  /** The first endpoint at the address; a refusal is written in its dialect. */
  readonly endpoint: Endpoint;
  /** As the header `Allow` lists them. */
  readonly methods: readonly string[];
}

/**
 * Lists the methods that a path answers. `/datasets/clone` matches `/datasets/{dataset_id}` as well, so it has its
 * own methods and those too.
 */
export function allowedMethods(contract: Contract): (path: string) => AllowedMethods | undefined {
  const served = Object.values(contract).flatMap((endpoint) =>
    addresses(endpoint).map((address) => ({ endpoint, pattern: patternOf(address) })),
  );
  const lookUp = (path: string): AllowedMethods | undefined => {
    const matching = served.filter(({ pattern }) => pattern.test(path)).map(({ endpoint }) => endpoint);
    const [endpoint] = matching;
    if (endpoint === undefined) return undefined;
    const own = new Set<string>(matching.map(({ method }) => method));
    if (own.has('GET')) own.add('HEAD');
    return { endpoint, methods: [...own.add('OPTIONS')].toSorted() };
  };
  // Clients use few addresses, and each lookup iterates all endpoints.
  const known = new Map<string, AllowedMethods | undefined>();
  return (path) => {
    if (known.has(path)) return known.get(path);
    const found = lookUp(path);
    if (known.size >= MAX_KNOWN) known.clear();
    if (path.length <= MAX_KNOWN_LENGTH) known.set(path, found);
    return found;
  };
}

const MAX_KNOWN = 1000;
const MAX_KNOWN_LENGTH = 256;

function patternOf(address: string): RegExp {
  const parts = address.split(/\{\w+\}/).map((literal) => literal.replaceAll('.', String.raw`\.`));
  return new RegExp(`^${parts.join('[^/]+')}$`);
}
