import { type Database, Problem } from '@roadstead/kit';
import { type Caller, findGrantReach, lockMaker } from '../../credentials/credentials.ts';
import { refuseBeyond } from '../../handing-on/handing-on-rules.ts';
import { isGrantSeen, revokeGrant } from '../../records/grant-store.ts';

/** A caller ends what it sees, also where the subject of a grant gives no access any more. */
export async function endGrant(
  db: Database,
  { caller, id }: { readonly caller: Caller; readonly id: string },
): Promise<void> {
  await db.transaction(async (tx) => {
    const maker = await lockMaker(tx, caller, `oauth:${id}`);
    const { workspace_id } = maker;
    if (!(await isGrantSeen(tx, { id, workspace_id, sight: maker }))) throw noGrant();
    const reach = (await findGrantReach(tx, id)) ?? { ...maker, expires_at: null };
    if (!(await revokeGrant(tx, { id, workspace_id }))) throw noGrant();
    // A refusal rolls the change back.
    refuseBeyond(maker, { ...reach, scopes: [] });
  });
}

const noGrant = () => new Problem('not_found', 'There is no such grant.');
