import type { Plugin } from 'vite';

/**
 * Gives the browser contracts without their schemas: where an endpoint is and how its request is sent. The typed client
 * asks for nothing else; with schemas and their library the first view would weigh twice as much. Types are not
 * touched, since the compiler reads the contracts themselves.
 */
export function plainContracts(): Plugin {
  return {
    name: 'plain-contracts',
    enforce: 'pre',
    resolveId: (source) => (CONTRACTS.includes(source) ? `\0plain:${source}` : undefined),
    load: async (id) => {
      if (!id.startsWith('\0plain:')) return undefined;
      const name = id.slice('\0plain:'.length);
      const exported = Object.entries((await import(name)) as Record<string, unknown>);
      return exported
        .flatMap(([key, value]) => {
          const plain = plainOf(value);
          return plain === undefined ? [] : [`export const ${key} = ${JSON.stringify(plain)};`];
        })
        .join('\n');
    },
  };
}

const CONTRACTS = ['agent-server', 'control-plane', 'identity', 'observability', 'platform'].map(
  (service) => `@roadstead/contracts/${service}`,
);

/** A value without what JSON can't say; undefined where nothing is left. Importing that is an error of the build. */
function plainOf(value: unknown): unknown {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return value;
  if (Array.isArray(value)) return value.map(plainOf);
  if (typeof value !== 'object' || isSchema(value)) return undefined;
  if (isEndpoint(value)) return plainEndpoint(value);
  if (Object.getPrototypeOf(value) !== Object.prototype) return undefined;
  const entries = Object.entries(value).flatMap(([key, one]) => {
    const plain = plainOf(one);
    return plain === undefined ? [] : [[key, plain] as const];
  });
  return Object.fromEntries(entries);
}

const isSchema = (value: object) => '_zod' in value;

interface EndpointLike {
  readonly method: string;
  readonly path: string;
  readonly mounts: readonly string[];
  readonly raw?: boolean;
  readonly access?: unknown;
  readonly success: { readonly body?: unknown };
}
const isEndpoint = (value: object): value is EndpointLike =>
  'method' in value && 'path' in value && 'mounts' in value && 'success' in value;

/** What `createClient` and the rule of what a caller may press ask of an endpoint. */
const plainEndpoint = ({ method, path, mounts, raw, access, success }: EndpointLike) => ({
  method,
  path,
  mounts: mounts.slice(0, 1),
  ...(raw === true && { raw }),
  ...(access !== undefined && { access }),
  success: success.body === undefined ? {} : { body: true },
});
