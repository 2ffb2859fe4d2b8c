import { type Database, Problem } from '@roadstead/kit';
import { type Caller, findGrantReach, lockMaker } from '../../credentials/credentials.ts';
import { isInSight, refuseBeyond, sightOf } from '../../handing-on/handing-on-rules.ts';
import { revokeGrant } from '../../records/grant-store.ts';

/** A bound caller ends only what is bound in the same way. */
export async function endGrant(
  db: Database,
  { caller, id }: { readonly caller: Caller; readonly id: string },
): Promise<void> {
  await db.transaction(async (tx) => {
    const maker = await lockMaker(tx, caller, `oauth:${id}`);
    // A grant that gives no access any more is removed only by a caller without bounds.
    const reach = (await findGrantReach(tx, id)) ?? { ...sightOf({}), expires_at: null };
    if (!isInSight(maker, reach)) throw noGrant();
    const { workspace_id } = maker;
    if (!(await revokeGrant(tx, { id, workspace_id }))) throw noGrant();
    // A refusal rolls the change back.
    refuseBeyond(maker, { ...reach, scopes: [] });
  });
}

const noGrant = () => new Problem('not_found', 'There is no such grant.');
