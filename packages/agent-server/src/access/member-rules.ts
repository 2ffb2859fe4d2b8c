import type { Principal } from '@roadstead/contracts';
import type { CallerContext, Verifier } from '@roadstead/http';
import { Access } from './access.ts';
import { requireCaller } from './require-caller.ts';

/** Identifies the callers of a deployment without graphs: keys of its workspace alone count there. */
export function memberRules(options: {
  readonly workspace_id: string;
  readonly verify: Verifier;
}): (request: Request, inward: CallerContext) => Promise<Principal> {
  const access = new Access({
    ...options,
    own: () => undefined,
    ask: () => Promise.reject(new Error('Nobody is asked: there is no auth of its own.')),
  });
  const rules = { admit: access.admit.bind(access), verify: options.verify };
  return (request, inward) => requireCaller(rules, { request, inward });
}
