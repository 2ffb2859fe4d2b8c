import { createHash } from 'node:crypto';
import {
  ALL_WORKSPACES,
  type Audience,
  credentialOf,
  type Principal,
  workspaceIdOf,
} from '@roadstead/contracts';

/** Our own services that call others, with the services that each may call and its rights there. */
const services = {
  /** Verifies callers, as a listener does. */
  edge: { calls: ['identity'], scopes: ['listener'] },
  'control-plane': { calls: ['identity', 'observability'], scopes: ['admin'] },
  /** Asks for the workspaces, and for the holders of keys to one. */
  observability: { calls: ['identity'], scopes: ['workspaces:admin', 'keys:admin'] },
} as const satisfies Record<
  string,
  { readonly calls: readonly Audience[]; readonly scopes: Principal['scopes'] }
>;

type ServiceName = keyof typeof services;

/** The key of each service. Identity alone accepts them, at its own address, so that they are useless at the edge. */
export type ServiceKeys = Readonly<Partial<Record<ServiceName, string>>>;

/** Finds the service whose key a request carries. */
export function createServiceLookup(keys: ServiceKeys): (headers: Headers) => Principal | undefined {
  const byHash = new Map(
    (Object.entries(keys) as [ServiceName, string][]).map(([name, key]) => [hashOf(key), name]),
  );
  return (headers) => {
    const credential = credentialOf(headers);
    const name = credential === undefined ? undefined : byHash.get(hashOf(credential));
    return name === undefined
      ? undefined
      : principalOf(name, workspaceIdOf(headers)?.toLowerCase() ?? ALL_WORKSPACES);
  };
}

/** The principal of a service that acts on its own behalf; undefined if it may not call that audience. */
export function principalFor(
  { actor }: Principal,
  { audience, workspace_id }: { readonly audience: Audience; readonly workspace_id: string },
): Principal | undefined {
  const name = actor.replace(/^service:/, '');
  if (!isService(name)) return undefined;
  const calls: readonly Audience[] = services[name].calls;
  return calls.includes(audience) ? principalOf(name, workspace_id.toLowerCase()) : undefined;
}

const isService = (name: string): name is ServiceName => Object.hasOwn(services, name);

const principalOf = (name: ServiceName, workspace_id: string): Principal => ({
  workspace_id,
  actor: `service:${name}`,
  scopes: [...services[name].scopes],
});

/** Found by hash, so that the time it takes reveals nothing about a key. */
const hashOf = (key: string) => createHash('sha256').update(key).digest('base64');
