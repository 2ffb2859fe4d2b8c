import type { apiKeys } from '@roadstead/contracts/identity';
import type { Handlers } from '@roadstead/http';
import { Problem, pageOf } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import type { Edge } from '../credentials/edge.ts';
import { isInSight, sightOf } from '../handing-on/handing-on-rules.ts';
import { findShownKey, insertKey, listKeys, revokeListenerKeys } from '../records/key-store.ts';
import { changeKey, createKey, createListenerKey, endKey, noKey } from './key-work.ts';

export function keyHandlers({
  db,
  edge,
  now,
}: {
  readonly db: Database;
  readonly edge: Pick<Edge, 'forget'>;
  readonly now: () => number;
}): Handlers<typeof apiKeys> {
  return {
    listApiKeys: async ({ workspace_id, principal, query: { deployment_id, ...page } }) =>
      pageOf(page, async (span) =>
        listKeys(db, workspace_id, { ...span, deployment_id, sight: sightOf(principal) }),
      ),
    createApiKey: async ({ principal: caller, body }) => {
      if (typeof body.expires_at === 'string' && Date.parse(body.expires_at) <= now())
        throw new Problem('invalid', 'expires_at is not in the future.');
      return createKey(db, { caller, ...body });
    },
    readApiKey: async ({ workspace_id, principal, params }) => {
      const key = await findShownKey(db, { workspace_id, id: params.key_id });
      if (key === undefined || !isInSight(sightOf(principal), key)) throw noKey();
      return key;
    },
    patchApiKey: async ({ principal: caller, params, body }) =>
      changeKey(db, { caller, id: params.key_id, ...body }),
    createListenerKey: async ({ workspace_id, body: { actor, ...body } }) => {
      const caller = { workspace_id, actor, scopes: [] };
      const { made, ended } = await createListenerKey(db, { caller, ...body });
      for (const hash of ended) edge.forget(hash);
      return made;
    },
    deleteListenerKeys: async ({ workspace_id, params }) => {
      for (const hash of await revokeListenerKeys(db, { workspace_id, ...params })) edge.forget(hash);
    },
    createDeploymentKey: async ({ workspace_id, body }) => insertKey(db, { workspace_id, ...body }),
    deleteApiKey: async ({ principal: caller, params }) =>
      edge.forget(await endKey(db, { caller, id: params.key_id })),
  };
}
