import { acceptedAccess, ALL_WORKSPACES, type Endpoint, type Principal } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit';

/**
 * A listener acts for itself only: its key is bound to it. The platform’s own has the only key without a workspace.
 */
export function checkListenerKey(
  endpoint: Endpoint,
  { principal, params }: { readonly principal: Principal; readonly params: unknown },
): void {
  if (!acceptedAccess(endpoint).includes('listener')) return;
  const { listener_id } = (params ?? {}) as { readonly listener_id?: string };
  if (listener_id === undefined) return;
  const isPlatforms = principal.workspace_id === ALL_WORKSPACES && principal.listener_id === undefined;
  if (!isPlatforms && principal.listener_id !== listener_id.toLowerCase())
    throw new Problem('not_found', 'There is no such listener for this key.');
}
