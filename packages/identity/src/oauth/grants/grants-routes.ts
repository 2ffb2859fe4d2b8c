import type { grants } from '@roadstead/contracts/identity';
import type { Handlers } from '@roadstead/http';
import { pageOf, Problem } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { sightOf, refuseBeyond } from '../../handing-on/handing-on-rules.ts';
import { listGrants, isGrantSeen, revokeGrant } from '../../records/grant-store.ts';
import { findGrantReach, lockMaker, type RecordChange } from '../../credentials/credentials.ts';

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

/** Ends a grant that the caller sees. A caller that expires ends no grant that outlasts it. */
async function endGrant(db: Database, { caller, id }: RecordChange): Promise<void> {
  await db.transaction(async (tx) => {
    const maker = await lockMaker(tx, caller, `oauth:${id}`);
    const { workspace_id } = maker;
    if (!(await isGrantSeen(tx, { id, workspace_id, sight: maker })))
      throw new Problem('not_found', 'There is no such grant.');
    const reach = (await findGrantReach(tx, id)) ?? maker;
    refuseBeyond(maker, { ...reach, scopes: [] });
    await revokeGrant(tx, { id, workspace_id });
  });
}
