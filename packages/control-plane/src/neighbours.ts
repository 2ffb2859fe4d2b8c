import { type ClientFetch, createClient } from '@roadstead/contracts';
import { observability } from '@roadstead/contracts/observability';
import { createServiceCalls, identityClient } from '@roadstead/service';
import type { ControlPlaneOptions } from './control-plane.ts';

interface Neighbour {
  readonly url: string;
  /** In place of the network. */
  readonly fetch?: ClientFetch;
}

export interface NeighboursOptions {
  readonly identity: Neighbour;
  readonly observability: Neighbour;
  /** The control plane's own, by which identity knows it. */
  readonly service_key: string;
}

/** How the control plane calls other services: in a workspace, and proving itself by its own key. */
export function createNeighbours({
  service_key,
  ...others
}: NeighboursOptions): ControlPlaneOptions['clients'] {
  const through = ({ url, fetch }: Neighbour) => ({
    base_url: url,
    ...(fetch === undefined ? {} : { fetch }),
  });
  const calls = createServiceCalls(identityClient({ ...through(others.identity), key: service_key }));
  return {
    observability: (workspace_id) =>
      createClient(observability, {
        base_url: others.observability.url,
        fetch: calls.to('observability', { ...others.observability, workspace_id }),
      }),
    identity: (workspace_id) =>
      identityClient({ ...through(others.identity), key: service_key, workspace_id }),
  };
}
