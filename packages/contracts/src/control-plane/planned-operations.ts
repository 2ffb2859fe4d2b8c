import { planned } from '../endpoint.ts';
import { mounts } from './deployments.ts';

/** Operations on deployments and revisions that aren’t built yet. */
const admin = { mounts, access: 'deployments:admin' } as const;
const write = { mounts, access: 'deployments:write' } as const;

export const plannedOperations = {
  deleteDeployments: planned('DELETE /v2/deployments', { ...admin, summary: 'Delete several deployments' }),
  createRevision: planned('POST /v2/deployments/{deployment_id}/revisions', {
    ...write,
    summary: 'Create a revision even when nothing has changed',
  }),
  restoreDeployment: planned('POST /v2/deployments/{deployment_id}/restore', {
    ...admin,
    summary: 'Take a deployment out of the bin',
  }),
  interruptRevision: planned('POST /v2/deployments/{deployment_id}/revisions/{revision_id}/interruption', {
    ...write,
    summary: 'Interrupt the build or start of a revision',
  }),
  interruptRevisionAlias: planned('POST /v2/deployments/{deployment_id}/revisions/{revision_id}/interrupt', {
    ...write,
    summary: 'Interrupt the build or start of a revision',
  }),
  createPushToken: planned('POST /v2/deployments/{deployment_id}/push-token', {
    ...write,
    summary: 'Create a token that may push an image',
  }),
  setDeploymentTier: planned('PATCH /v2/deployments/{deployment_id}/deployment-tier', {
    ...write,
    summary: 'Change the tier of a deployment',
  }),
  setResourceTiers: planned('PATCH /v2/deployments/{deployment_id}/resource-tiers', {
    ...write,
    summary: 'Change the resource tiers of a deployment',
  }),
};
