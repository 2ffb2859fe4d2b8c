import { covers, type Scope } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit';

/** How a name is kept: upper and lower case are the same. */
export const keptName = (name: string): string => name.trim().toLowerCase();

/** Nobody makes a user who may do more than they, nor sets the password of one. */
export function refuseBeyond(own: readonly Scope[], scopes: readonly Scope[]): void {
  const lacking = scopes.filter((scope) => !covers(own, scope));
  if (lacking.length > 0)
    throw new Problem(
      'forbidden',
      `A key gives a user no scope that it lacks itself: ${lacking.join(', ')}.`,
    );
}
