import { type Database, Problem } from '@roadstead/kit';
import { type Caller, findGrantReach, lockMaker } from '../../credentials/credentials.ts';
import { isInSight, refuseBeyond, sightOf } from '../../handing-on/handing-on-rules.ts';
import { revokeGrant } from '../../records/grant-store.ts';

/** Whoever is bound ends only what is bound as they are. */
export async function endGrant(
  db: Database,
  { caller, id }: { readonly caller: Caller; readonly id: string },
): Promise<void> {
  await db.transaction(async (tx) => {
    const maker = await lockMaker(tx, caller, `oauth:${id}`);
    // Of one that opens nothing any more, only whoever is bound by nothing takes away what is left.
    const reach = (await findGrantReach(tx, id)) ?? { ...sightOf({}), expires_at: null };
    if (!isInSight(maker, reach)) throw noGrant();
    const { workspace_id } = maker;
    if (!(await revokeGrant(tx, { id, workspace_id }))) throw noGrant();
    // What is refused is rolled back.
    refuseBeyond(maker, { ...reach, scopes: [] });
  });
}

const noGrant = () => new Problem('not_found', 'There is no such grant.');
