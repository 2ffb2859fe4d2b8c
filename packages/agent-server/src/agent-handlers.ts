import { ROADSTEAD_VERSION } from '@roadstead/contracts';
import type { agentServer } from '@roadstead/contracts/agent-server';
import type { Manifest } from '@roadstead/contracts/host';
import type { Handlers } from '@roadstead/kit';
import type { A2aOptions } from './a2a/a2a-options.ts';
import { createA2aHandlers } from './a2a/a2a-routes.ts';
import { createCardHandlers } from './a2a/agent-card-routes.ts';
import { createInfoHandlers } from './info/info-routes.ts';

export interface AgentHandlersOptions extends Omit<A2aOptions, 'disabled' | 'version'> {
  readonly active: () =>
    | { readonly revision_id: string; readonly manifest: Manifest | undefined }
    | undefined;
}

/** Everything that an agent server answers below `/agents/{slug}`. */
export function agentHandlers({ active, ...given }: AgentHandlersOptions): Handlers<typeof agentServer> {
  const disabled = () => active()?.manifest?.http.disable_a2a === true;
  const a2a = { ...given, disabled, version: ROADSTEAD_VERSION };
  return {
    ...createA2aHandlers(a2a),
    ...createCardHandlers(a2a),
    ...createInfoHandlers({ disabled, revision_id: () => active()?.revision_id }),
  };
}
