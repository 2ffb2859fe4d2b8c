import { allows, type Principal } from '@roadstead/contracts';
import type { CallerContext, Verifier } from '@roadstead/http';
import { Problem } from '@roadstead/kit';

export interface CallerRules {
  /** How endpoints learn who calls. */
  readonly admit: (request: Request, inward: CallerContext) => Promise<CallerContext>;
  readonly verify: Verifier;
}

/**
 * Identifies the caller of an address that is no endpoint of a contract, by the same rules.
 * @throws Problem `unauthenticated`, or `forbidden`
 */
export async function requireCaller(
  { admit, verify }: CallerRules,
  { request, inward }: { readonly request: Request; readonly inward: CallerContext },
): Promise<Principal> {
  const { assertion, identify, refused } = await admit(request, inward);
  const principal = await (identify?.() ?? (assertion === undefined ? undefined : verify(assertion)));
  if (principal === undefined)
    throw (
      refused ?? new Problem('unauthenticated', 'This needs an API key: send it as the header X-Api-Key.')
    );
  if (!allows(principal.scopes, ['agents:invoke']))
    throw new Problem('forbidden', 'This key lacks the scope agents:invoke.');
  return principal;
}
