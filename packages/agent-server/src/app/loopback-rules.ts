import type { CallerContext } from '@roadstead/http';

/**
 * The identity of the deployment's own code when it calls its deployment: the deployment, unless an `auth` identifies
 * it.
 */
export function loopbackInward(
  { url }: Request,
  { workspace_id, deployment_id }: { readonly workspace_id: string; readonly deployment_id: string },
): CallerContext {
  const actor = `deployment:${deployment_id}`;
  return {
    path: new URL(url).pathname,
    identify: async () => ({ workspace_id, actor, scopes: ['agents:invoke'] }),
  };
}
