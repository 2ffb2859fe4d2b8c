import type { DeploymentStatus, RevisionStatus } from '@roadstead/contracts/control-plane';
import type { Tone } from './tone.ts';

/** How states are told: a word that people use, and a tone. The name on the wire stands where the pointer rests. */
export interface StateWords {
  readonly word: string;
  readonly tone: Tone;
}

const deploymentStates: Readonly<Record<DeploymentStatus, StateWords>> = {
  AWAITING_DATABASE: { word: 'preparing', tone: 'busy' },
  READY: { word: 'ready', tone: 'good' },
  UNUSED: { word: 'unused', tone: 'quiet' },
  AWAITING_DELETE: { word: 'being deleted', tone: 'warn' },
  UNKNOWN: { word: 'not heard of', tone: 'warn' },
};

export const revisionStates: Readonly<Record<RevisionStatus, StateWords>> = {
  CREATING: { word: 'being created', tone: 'busy' },
  QUEUED: { word: 'queued', tone: 'busy' },
  AWAITING_BUILD: { word: 'waits to be built', tone: 'busy' },
  BUILDING: { word: 'is built', tone: 'busy' },
  AWAITING_DEPLOY: { word: 'waits to start', tone: 'busy' },
  DEPLOYING: { word: 'starts', tone: 'busy' },
  CREATE_FAILED: { word: 'could not be created', tone: 'bad' },
  BUILD_FAILED: { word: 'build failed', tone: 'bad' },
  DEPLOY_FAILED: { word: 'did not start', tone: 'bad' },
  DEPLOYED: { word: 'deployed', tone: 'good' },
  SKIPPED: { word: 'skipped', tone: 'quiet' },
  INTERRUPTED: { word: 'interrupted', tone: 'warn' },
  UNKNOWN: { word: 'not heard of', tone: 'warn' },
};

interface DeploymentLike {
  readonly status: DeploymentStatus;
  readonly status_reason: { readonly message: string } | string | null;
  readonly active_revision_id: string | null;
  readonly latest_revision_id: string | null;
}

/** What a deployment does for its callers, which its status alone doesn't say. */
export function servingState({
  status,
  status_reason,
  active_revision_id,
  latest_revision_id,
}: DeploymentLike): StateWords {
  if (status !== 'READY' && status !== 'UNUSED') return deploymentStates[status];
  if (active_revision_id === null) return { word: 'not serving', tone: 'quiet' };
  if (status_reason !== null) return { word: 'in trouble', tone: 'bad' };
  if (latest_revision_id !== active_revision_id) return { word: 'serving an earlier revision', tone: 'warn' };
  return status === 'UNUSED' ? { word: 'idle', tone: 'good' } : { word: 'serving', tone: 'good' };
}

/** Whether an agent can be asked, also one that is idle; of one that doesn't serve nothing is asked. */
export const isServing = ({
  status,
  active_revision_id,
}: Pick<DeploymentLike, 'status' | 'active_revision_id'>): boolean =>
  (status === 'READY' || status === 'UNUSED') && active_revision_id !== null;

/** The name of a deployment in addresses: the last part of its own. */
export const slugOf = (url: string | null): string | undefined =>
  url === null ? undefined : (/\/agents\/([^/]+)/.exec(url)?.[1] ?? undefined);
