import { type Role, ROLES, type Scope } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit';

/** The stored form of a name: upper and lower case are the same. */
export const keptName = (name: string): string => name.trim().toLowerCase();

/** The scopes that are asked for, by themselves or by a role. @throws Problem where it is both */
export function scopesIn({
  scopes,
  role,
}: {
  readonly scopes?: readonly Scope[] | undefined;
  readonly role?: Role | undefined;
}): readonly Scope[] | undefined {
  if (scopes !== undefined && role !== undefined)
    throw new Problem('invalid', 'scopes and role are both given: name one of them.');
  return role === undefined ? scopes : ROLES[role];
}
