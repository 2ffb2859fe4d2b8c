import type { grants } from '@roadstead/contracts/identity';
import { type Database, type Handlers, pageOf } from '@roadstead/kit';
import { sightOf } from '../../handing-on/handing-on-rules.ts';
import { listGrants } from '../../records/grant-store.ts';
import { endGrant } from './grant-work.ts';

export function grantHandlers({
  db,
  onRevoked,
}: {
  readonly db: Database;
  readonly onRevoked: () => void;
}): Handlers<typeof grants> {
  return {
    listGrants: async ({ workspace_id, principal, query: { subject, ...page } }) =>
      pageOf(page, async (span) =>
        listGrants(db, workspace_id, { ...span, subject, sight: sightOf(principal) }),
      ),
    deleteGrant: async ({ principal: caller, params }) => {
      await endGrant(db, { caller, id: params.grant_id });
      onRevoked();
    },
  };
}
