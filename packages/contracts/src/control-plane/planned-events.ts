import { planned } from '../endpoint.ts';
import { mounts } from './deployments.ts';

/** Endpoints of listeners that aren’t built yet. */
const admin = { mounts, access: 'deployments:admin' } as const;

export const plannedLogsAndListeners = {
  createListener: planned('POST /v2/listeners', { ...admin, summary: 'Register a remote listener' }),
  patchListener: planned('PATCH /v2/listeners/{listener_id}', { ...admin, summary: 'Change a listener' }),
  deleteListener: planned('DELETE /v2/listeners/{listener_id}', { ...admin, summary: 'Remove a listener' }),
};
