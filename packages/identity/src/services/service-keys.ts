import { createHash } from 'node:crypto';
import {
  ALL_WORKSPACES,
  type Audience,
  credentialOf,
  type Principal,
  workspaceIdOf,
} from '@roadstead/contracts';

/** Our own services that call others, with their rights at each that they may call. */
const services = {
  /** Verifies callers, as a listener does, and asks where agents are. */
  edge: { identity: ['listener'], 'control-plane': [], 'agent-server': [] },
  'control-plane': { identity: ['admin'], observability: ['admin'] },
  /** Asks for the workspaces, and for the holders of keys to one. */
  observability: { identity: ['workspaces:admin', 'keys:admin'] },
} as const satisfies Record<string, Partial<Record<Audience, Principal['scopes']>>>;

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
      : principalOf(name, {
          audience: 'identity',
          workspace_id: workspaceIdOf(headers)?.toLowerCase() ?? ALL_WORKSPACES,
        });
  };
}

/** The principal of a service that acts on its own behalf; undefined if it may not call that audience. */
export function principalFor(
  { actor }: Principal,
  { audience, workspace_id }: { readonly audience: Audience; readonly workspace_id: string },
): Principal | undefined {
  const name = actor.replace(/^service:/, '');
  if (!isService(name)) return undefined;
  return principalOf(name, { audience, workspace_id: workspace_id.toLowerCase() });
}

const isService = (name: string): name is ServiceName => Object.hasOwn(services, name);

function principalOf(
  name: ServiceName,
  { audience, workspace_id }: { readonly audience: Audience; readonly workspace_id: string },
): Principal | undefined {
  const rights: Partial<Record<Audience, Principal['scopes']>> = services[name];
  const scopes = rights[audience];
  return scopes && { workspace_id, actor: `service:${name}`, scopes: [...scopes] };
}

/** Found by hash, so that the time it takes reveals nothing about a key. */
const hashOf = (key: string) => createHash('sha256').update(key).digest('base64');
