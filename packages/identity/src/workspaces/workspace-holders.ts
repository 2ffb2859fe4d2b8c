import {
  ASSERTION_HEADER,
  type Audience,
  createClient,
  type Erasure,
  type Holdings,
} from '@roadstead/contracts';
import { controlPlane } from '@roadstead/contracts/control-plane';
import { observability } from '@roadstead/contracts/observability';
import type { Signer } from '@roadstead/http';

/** The services that hold data of workspaces, as identity calls them. */

export interface WorkspaceHolder {
  readHoldings(workspace_id: string): Promise<Holdings>;
  /** Erases some of it; called again until nothing is left. */
  erase(workspace_id: string): Promise<Erasure>;
}

interface Address {
  readonly url: string;
  /** Replaces the network. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

export interface HolderAddresses {
  readonly control_plane: Address;
  readonly observability: Address;
}

/** Longer than one step of an erasure may take. */
const DEADLINE_MS = 120_000;

export function createHolders(addresses: HolderAddresses, signer: Signer): readonly WorkspaceHolder[] {
  const optionsFor =
    (audience: Audience, { url, fetch: send = fetch }: Address) =>
    (workspace_id: string) => ({
      base_url: url,
      deadline_ms: DEADLINE_MS,
      fetch: (request: Request) => {
        const principal = { workspace_id, actor: 'service:identity', scopes: [] };
        request.headers.set(ASSERTION_HEADER, signer.sign(principal, audience));
        return send(request);
      },
    });
  const toControl = optionsFor('control-plane', addresses.control_plane);
  const toTraces = optionsFor('observability', addresses.observability);
  return [
    {
      readHoldings: (id) => createClient(controlPlane, toControl(id)).readControlHoldings({}),
      erase: (id) => createClient(controlPlane, toControl(id)).eraseControlWorkspace({}),
    },
    {
      readHoldings: (id) => createClient(observability, toTraces(id)).readTracedHoldings({}),
      erase: (id) => createClient(observability, toTraces(id)).eraseTracedWorkspace({}),
    },
  ];
}
