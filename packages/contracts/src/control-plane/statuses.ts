import { z } from 'zod';
import { RepairedText } from '../values/repaired-text.ts';
import type { Flow } from '../values/status-flow.ts';

export const DeploymentStatus = z.enum([
  'AWAITING_DATABASE',
  'READY',
  'UNUSED',
  'AWAITING_DELETE',
  'UNKNOWN',
]);
export type DeploymentStatus = z.output<typeof DeploymentStatus>;

/** `UNUSED` and `UNKNOWN` are derived from the listener's last report, so they are never written: see `shownStatus`. */
export type StoredDeploymentStatus = 'AWAITING_DATABASE' | 'READY' | 'AWAITING_DELETE' | 'DELETED';
export const deploymentFlow: Flow<StoredDeploymentStatus> = {
  AWAITING_DATABASE: ['READY', 'AWAITING_DELETE'],
  READY: ['AWAITING_DELETE'],
  AWAITING_DELETE: ['DELETED'],
  // Restored from the bin: its database is checked again.
  DELETED: ['AWAITING_DATABASE'],
};

export const RevisionStatus = z.enum([
  'CREATING',
  'QUEUED',
  'AWAITING_BUILD',
  'BUILDING',
  'AWAITING_DEPLOY',
  'DEPLOYING',
  'CREATE_FAILED',
  'BUILD_FAILED',
  'DEPLOY_FAILED',
  'DEPLOYED',
  'SKIPPED',
  'INTERRUPTED',
  'UNKNOWN',
]);
export type RevisionStatus = z.output<typeof RevisionStatus>;

/** Lists which status may follow which. `UNKNOWN` is not terminal. */
export const revisionFlow: Flow<RevisionStatus> = {
  CREATING: ['QUEUED', 'AWAITING_BUILD', 'AWAITING_DEPLOY', 'SKIPPED', 'INTERRUPTED', 'CREATE_FAILED'],
  QUEUED: ['AWAITING_BUILD', 'AWAITING_DEPLOY', 'SKIPPED', 'INTERRUPTED', 'CREATE_FAILED'],
  AWAITING_BUILD: [
    'BUILDING',
    'AWAITING_DEPLOY',
    'DEPLOYING',
    'SKIPPED',
    'INTERRUPTED',
    'CREATE_FAILED',
    'BUILD_FAILED',
  ],
  BUILDING: ['AWAITING_DEPLOY', 'DEPLOYING', 'BUILD_FAILED', 'INTERRUPTED', 'SKIPPED'],
  AWAITING_DEPLOY: ['DEPLOYING', 'DEPLOYED', 'DEPLOY_FAILED', 'SKIPPED', 'INTERRUPTED', 'CREATE_FAILED'],
  DEPLOYING: ['DEPLOYED', 'DEPLOY_FAILED', 'INTERRUPTED', 'SKIPPED'],
  UNKNOWN: ['QUEUED', 'SKIPPED', 'INTERRUPTED'],
  CREATE_FAILED: [],
  BUILD_FAILED: [],
  DEPLOY_FAILED: [],
  DEPLOYED: [],
  SKIPPED: [],
  INTERRUPTED: [],
};

/** The steps of reaching a revision, in order. */
export const Phase = z.enum(['queue', 'source', 'install', 'build', 'start', 'health', 'switch']);
export type Phase = z.output<typeof Phase>;

/** The status that each phase shows, and the one that it fails into. */
export const phaseStatuses: Readonly<Record<Phase, { running: RevisionStatus; failed: RevisionStatus }>> = {
  queue: { running: 'QUEUED', failed: 'CREATE_FAILED' },
  source: { running: 'BUILDING', failed: 'BUILD_FAILED' },
  install: { running: 'BUILDING', failed: 'BUILD_FAILED' },
  build: { running: 'BUILDING', failed: 'BUILD_FAILED' },
  start: { running: 'DEPLOYING', failed: 'DEPLOY_FAILED' },
  health: { running: 'DEPLOYING', failed: 'DEPLOY_FAILED' },
  switch: { running: 'DEPLOYING', failed: 'DEPLOY_FAILED' },
};

/** The reason why a revision waits or failed, or the trouble of a deployment. */
export const StatusReason = z
  .object({
    phase: Phase,
    code: RepairedText,
    message: RepairedText,
    hint: RepairedText.nullish(),
    log_tail: z.array(RepairedText).nullish(),
  })
  .meta({ id: 'StatusReason' });
export type StatusReason = z.output<typeof StatusReason>;
