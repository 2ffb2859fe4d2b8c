import type { CallerContext } from '@roadstead/kit';

/** Who the deployment's own code is when it asks its deployment: the deployment, where there is no `auth` that tells. */
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
