import { Admission } from '@roadstead/kit';

/** How many calls, streams and WebSockets may be under way at once. */
export interface CallLimits {
  readonly per_deployment: number;
  /** Of all deployments of a workspace together: one tenant's streams leave room for the others. */
  readonly per_workspace: number;
}

/** All that are under way, so that nobody takes the router away from others. What has no room is refused. */
export const callsInFlight = ({ per_deployment, per_workspace }: CallLimits) =>
  new Admission({ size: Infinity, most: [per_workspace, per_deployment] });
