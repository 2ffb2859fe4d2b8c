import type { IdentityContract } from '@roadstead/contracts/identity';
import { type Database, type Handlers, Problem, pageOf } from '@roadstead/kit';
import { findGrantReach, readMaker } from '../../credentials.ts';
import { refuseBeyond } from '../../handing-on/handing-on-rules.ts';
import { listGrants } from './grant-store.ts';

const unbound = { subject: null, deployment_id: null, listener_id: null, expires_at: null };

export function grantHandlers({
  db,
  revokeGrant,
}: {
  readonly db: Database;
  readonly revokeGrant: (grant: { readonly id: string; readonly workspace_id: string }) => Promise<boolean>;
}): Pick<Handlers<IdentityContract>, 'listGrants' | 'deleteGrant'> {
  return {
    listGrants: async ({ workspace_id, query: { subject, ...page } }) =>
      pageOf(page, async (span) => listGrants(db, workspace_id, { ...span, subject })),
    deleteGrant: async ({ workspace_id, principal, params }) => {
      const maker = await readMaker(db, principal);
      const reach = await findGrantReach(db, params.grant_id);
      // Of one that opens nothing any more, only whoever is bound by nothing takes away what is left.
      refuseBeyond(maker, { ...unbound, ...reach, scopes: [] });
      if (!(await revokeGrant({ id: params.grant_id, workspace_id })))
        throw new Problem('not_found', 'There is no such grant.');
    },
  };
}
