import { Admission, MAX_CONNECTIONS } from '@roadstead/kit';

/** Of all deployments: a quarter of the port's connections is left for everything else that it answers. */
export const CALLS_AT_ONCE = (MAX_CONNECTIONS * 3) / 4;

/** How many calls, streams and WebSockets may be under way at once. */
export interface CallLimits {
  /** Of all deployments together, half of them of one workspace. */
  readonly all: number;
  readonly per_deployment: number;
}

/** All that are under way, so that nobody takes the router away from others. What has no room is refused. */
export const callsInFlight = ({ all, per_deployment }: CallLimits) =>
  new Admission({ size: all, most: [Math.floor(all / 2), per_deployment] });
