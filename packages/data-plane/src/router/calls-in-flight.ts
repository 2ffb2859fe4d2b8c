import { MAX_CONNECTIONS } from '@roadstead/http';
import { Admission } from '@roadstead/kit';

/** The limit of all deployments: a quarter of the port's connections is left for everything else that it answers. */
export const CALLS_AT_ONCE = (MAX_CONNECTIONS * 3) / 4;

/** How many calls, streams and WebSockets may be under way at once. */
export interface CallLimits {
  /** The limit of all deployments together, half of it for one workspace. */
  readonly all: number;
  readonly per_deployment: number;
}

/** Counts the calls under way, so that no deployment occupies the whole router. A call without a place is refused. */
export const callsInFlight = ({ all, per_deployment }: CallLimits) =>
  new Admission({ size: all, most: [Math.floor(all / 2), per_deployment] });
