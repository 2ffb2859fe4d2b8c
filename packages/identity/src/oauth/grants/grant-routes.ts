import type { IdentityContract } from '@roadstead/contracts/identity';
import { type Database, type Handlers, Problem, pageOf } from '@roadstead/kit';
import { listGrants } from './grant-store.ts';

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
    deleteGrant: async ({ workspace_id, params }) => {
      if (!(await revokeGrant({ id: params.grant_id, workspace_id })))
        throw new Problem('not_found', 'There is no such grant.');
    },
  };
}
