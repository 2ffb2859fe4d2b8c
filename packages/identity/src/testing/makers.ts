import type { Scope } from '@roadstead/contracts';
import type { NewKey } from '../records/key-store.ts';

/** Holders of every kind, who make, change and end the credentials of others. */

const deployment_id = '44444444-4444-4444-8444-444444444444';
const listener_id = '55555555-5555-4555-8555-555555555555';
export const soon = new Date(Date.now() + 3_600_000).toISOString();
export const MAKING: Scope[] = ['keys:admin', 'workspaces:admin', 'agents:invoke', 'traces:read'];

export const makers: Record<string, Partial<NewKey>> = {
  'an administrator’s key': { scopes: ['admin'] },
  'a narrow key': { scopes: MAKING },
  'a key of a subject': { scopes: MAKING, subject: 'u1' },
  'a key that expires': { scopes: MAKING, expires_at: soon },
  'a deployment’s own key': { scopes: MAKING, deployment_id },
  'a listener’s key': { scopes: MAKING, listener_id },
  'a key with every bound': { scopes: MAKING, subject: 'u1', expires_at: soon, deployment_id, listener_id },
};

/** Whether a holder sees only what is bound in the same way. */
export const isBound = ({ subject, deployment_id: of, listener_id: by }: Partial<NewKey>): boolean =>
  [subject, of, by].some((bound) => bound !== undefined);
