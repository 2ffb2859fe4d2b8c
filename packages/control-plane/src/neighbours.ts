import { type ClientFetch, createClient } from '@roadstead/contracts';
import { observability } from '@roadstead/contracts/observability';
import { createServiceCalls, identityClient } from '@roadstead/service';
import type { ControlPlaneOptions } from './control-plane.ts';

interface Neighbour {
  readonly url: string;
  /** Used in place of the network. */
  readonly fetch?: ClientFetch;
}

export interface NeighboursOptions {
  readonly identity: Neighbour;
  readonly observability: Neighbour;
  /** The control plane's own key, by which identity recognises it. */
  readonly service_key: string;
}

/** Calls other services on behalf of the control plane: in a workspace, authenticated by its own key. */
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
