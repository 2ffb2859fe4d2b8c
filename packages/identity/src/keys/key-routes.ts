import type { Principal } from '@roadstead/contracts';
import type { IdentityContract } from '@roadstead/contracts/identity';
import { type Database, type Handlers, Problem, pageOf } from '@roadstead/kit';
import { readMaker } from '../credentials.ts';
import type { Edge } from '../edge.ts';
import { handOn, refuseBeyond } from '../handing-on/handing-on-rules.ts';
import {
  findKeyReach,
  findShownKey,
  insertKey,
  listKeys,
  renameKey,
  revokeKey,
  revokeListenerKeys,
} from './key-store.ts';

export function keyHandlers({
  db,
  edge,
  now,
}: {
  readonly db: Database;
  readonly edge: Pick<Edge, 'forget'>;
  readonly now: () => number;
}): Pick<
  Handlers<IdentityContract>,
  | 'listApiKeys'
  | 'createApiKey'
  | 'readApiKey'
  | 'patchApiKey'
  | 'createDeploymentKey'
  | 'createListenerKey'
  | 'deleteListenerKeys'
  | 'deleteApiKey'
> {
  /** Whoever is bound changes and ends only what is bound as they are. */
  const refuseForeign = async (principal: Principal, id: string) => {
    const maker = await readMaker(db, principal);
    const key = known(await findKeyReach(db, { workspace_id: maker.workspace_id, id }));
    refuseBeyond(maker, { ...key, scopes: [] });
  };
  return {
    listApiKeys: async ({ workspace_id, query: { deployment_id, ...page } }) =>
      pageOf(page, async (span) => listKeys(db, workspace_id, { ...span, deployment_id })),
    createApiKey: async ({ principal, body }) => {
      if (typeof body.expires_at === 'string' && Date.parse(body.expires_at) <= now())
        throw new Problem('invalid', 'expires_at is not in the future.');
      const { name, ...asked } = body;
      return insertKey(db, { name, ...handOn('key', await readMaker(db, principal), asked) });
    },
    readApiKey: async ({ workspace_id, params }) =>
      known(await findShownKey(db, { workspace_id, id: params.key_id })),
    patchApiKey: async ({ workspace_id, principal, params, body }) => {
      await refuseForeign(principal, params.key_id);
      return known(await renameKey(db, { workspace_id, id: params.key_id, ...body }));
    },
    createListenerKey: async ({ workspace_id, body: { listener_id, name, actor } }) => {
      const maker = await readMaker(db, { workspace_id, actor, scopes: [] });
      const reach = handOn('listener', maker, { listener_id, scopes: ['listener'] });
      const { made, ended } = await db.transaction(async (tx) => ({
        ended: await revokeListenerKeys(tx, { workspace_id, listener_id }),
        made: await insertKey(tx, { name, ...reach }),
      }));
      for (const hash of ended) edge.forget(hash);
      return made;
    },
    deleteListenerKeys: async ({ workspace_id, params }) => {
      for (const hash of await revokeListenerKeys(db, { workspace_id, ...params })) edge.forget(hash);
    },
    createDeploymentKey: async ({ workspace_id, body }) => insertKey(db, { workspace_id, ...body }),
    deleteApiKey: async ({ workspace_id, principal, params }) => {
      await refuseForeign(principal, params.key_id);
      const hash = await revokeKey(db, { workspace_id, id: params.key_id });
      edge.forget(known(hash));
    },
  };
}

function known<T>(found: T | undefined): T {
  if (found === undefined) throw new Problem('not_found', 'There is no such API key.');
  return found;
}
