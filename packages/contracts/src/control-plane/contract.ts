import { authConnections } from './auth-connections.ts';
import { authFlows } from './auth-flows.ts';
import { authProviders } from './auth-providers.ts';
import { authTokens } from './auth-tokens.ts';
import { blobs } from './blobs.ts';
import { deploymentOperations } from './deployment-operations.ts';
import { deployments } from './deployments.ts';
import { controlPlaneErasure } from './erasure.ts';
import { events } from './events.ts';
import { gitHooks } from './git-hooks.ts';
import { gitInstallations } from './git-installations.ts';
import { imageBlobs } from './image-blobs.ts';
import { imageManifests } from './image-manifests.ts';
import { imageUploads } from './image-uploads.ts';
import { integrations } from './integrations.ts';
import { listenerGit } from './listener-git.ts';
import { listeners } from './listeners.ts';
import { logs } from './logs.ts';
import { places } from './places.ts';
import { revisions } from './revisions.ts';
import { templates } from './templates.ts';
import { uploads } from './uploads.ts';
import { webhooks } from './webhooks.ts';

export const controlPlane = {
  // Fixed words come before parameters that would take them for an id.
  ...deploymentOperations,
  ...deployments,
  ...uploads,
  ...revisions,
  ...logs,
  ...listeners,
  ...places,
  ...blobs,
  ...imageUploads,
  ...imageBlobs,
  ...imageManifests,
  ...listenerGit,
  ...integrations,
  ...gitInstallations,
  ...gitHooks,
  ...events,
  ...controlPlaneErasure,
  ...webhooks,
  ...templates,
  ...authProviders,
  ...authFlows,
  ...authTokens,
  ...authConnections,
};
export type ControlPlaneContract = typeof controlPlane;
