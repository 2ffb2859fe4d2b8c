import { z } from 'zod';
import { covers, type Scope } from './access.ts';

/** What people are in a workspace: names for sets of scopes, so that nobody has to list them. */
export const Role = z.enum(['viewer', 'member', 'admin']).meta({ id: 'Role' });
export type Role = z.output<typeof Role>;

export const ROLES = {
  /** Sees everything, and changes nothing; sends agents no messages either. */
  viewer: ['reader'],
  /** Works with everything, and removes, shares and configures nothing. */
  member: [
    'reader',
    'agents:invoke',
    'deployments:write',
    'connections:write',
    'traces:write',
    'datasets:write',
    'feedback:write',
    'prompts:write',
  ],
  /** May do everything. */
  admin: ['admin'],
} as const satisfies Readonly<Record<Role, readonly Scope[]>>;

/** The role whose scopes these are; null for scopes that somebody chose one by one. */
export const roleOf = (scopes: readonly Scope[]): Role | null =>
  Role.options.find((role) => coversAll(ROLES[role], scopes) && coversAll(scopes, ROLES[role])) ?? null;

/** The higher of roles; undefined for none. */
export const highestRole = (roles: readonly Role[]): Role | undefined =>
  Role.options.findLast((role) => roles.includes(role));

const coversAll = (scopes: readonly Scope[], wanted: readonly Scope[]): boolean =>
  wanted.every((scope) => covers(scopes, scope));
