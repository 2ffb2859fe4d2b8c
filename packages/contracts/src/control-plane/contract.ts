import { deployments } from './deployments.ts';
import { events } from './events.ts';
import { listeners } from './listeners.ts';
import { logs } from './logs.ts';
import { plannedControlPlane } from './planned.ts';
import { revisions } from './revisions.ts';

export const controlPlane = {
  ...deployments,
  ...revisions,
  ...logs,
  ...listeners,
  ...events,
  ...plannedControlPlane,
};
export type ControlPlaneContract = typeof controlPlane;
