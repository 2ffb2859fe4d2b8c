import { type Database, Problem } from '@roadstead/kit';
import { type Caller, findGrantReach, lockMaker } from '../../credentials/credentials.ts';
import { refuseBeyond } from '../../handing-on/handing-on-rules.ts';
import { isGrantSeen, revokeGrant } from '../../records/grant-store.ts';

/** Ends a grant that the caller sees. A caller that expires ends no grant that outlasts it. */
export async function endGrant(
  db: Database,
  { caller, id }: { readonly caller: Caller; readonly id: string },
): Promise<void> {
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
