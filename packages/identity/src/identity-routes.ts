import { ALL_WORKSPACES, covers } from '@roadstead/contracts';
import type { IdentityContract } from '@roadstead/contracts/identity';
import { ASSERTION_LIFETIME_S, type Database, type Handlers, Problem, type Signer } from '@roadstead/kit';
import { pageOf } from './cursor.ts';
import type { Edge } from './edge.ts';
import { principalFor } from './services/service-keys.ts';
import {
  findShownKey,
  insertKey,
  listKeys,
  renameKey,
  revokeKey,
  revokeListenerKeys,
} from './keys/key-store.ts';

export function identityHandlers({
  db,
  edge,
  signer,
  now,
}: {
  db: Database;
  edge: Edge;
  signer: Signer;
  now: () => number;
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
  | 'verifyCredential'
  | 'createServiceAssertion'
  | 'readSigningKeys'
> {
  return {
    listApiKeys: async ({ workspace_id, query: { deployment_id, ...page } }) =>
      pageOf(page, async (span) => listKeys(db, workspace_id, { ...span, deployment_id })),
    createApiKey: async ({ workspace_id, principal, body }) => {
      const lacking = body.scopes.filter((scope) => !covers(principal.scopes, scope));
      if (lacking.length > 0)
        throw new Problem('forbidden', `A key gives no scope that it lacks itself: ${lacking.join(', ')}.`);
      if (principal.subject !== undefined && (body.subject ?? principal.subject) !== principal.subject)
        throw new Problem('forbidden', 'A key that acts for a subject makes keys for this subject only.');
      if (typeof body.expires_at === 'string' && Date.parse(body.expires_at) <= now())
        throw new Problem('invalid', 'expires_at is not in the future.');
      return insertKey(db, { workspace_id, ...body, subject: body.subject ?? principal.subject });
    },
    readApiKey: async ({ workspace_id, params }) =>
      known(await findShownKey(db, { workspace_id, id: params.key_id })),
    patchApiKey: async ({ workspace_id, params, body }) =>
      known(await renameKey(db, { workspace_id, id: params.key_id, ...body })),
    createListenerKey: async ({ workspace_id, body: { listener_id, name } }) => {
      const { made, ended } = await db.transaction(async (tx) => ({
        ended: await revokeListenerKeys(tx, { workspace_id, listener_id }),
        made: await insertKey(tx, { workspace_id, name, listener_id, scopes: ['listener'] }),
      }));
      for (const hash of ended) edge.forget(hash);
      return made;
    },
    deleteListenerKeys: async ({ workspace_id, params }) => {
      for (const hash of await revokeListenerKeys(db, { workspace_id, ...params })) edge.forget(hash);
    },
    createDeploymentKey: async ({ workspace_id, body }) => insertKey(db, { workspace_id, ...body }),
    deleteApiKey: async ({ workspace_id, params }) => {
      const hash = await revokeKey(db, { workspace_id, id: params.key_id });
      edge.forget(known(hash));
    },
    verifyCredential: async ({ workspace_id, principal: caller, body }) => {
      if (caller.actor.startsWith('key:') && body.audience !== 'agent-server')
        throw new Problem('forbidden', 'A listener verifies callers of agents only.');
      const { principal, ...answer } = await edge.assert(
        body.credential,
        body.workspace_id ?? undefined,
        body.audience,
      );
      if (workspace_id !== ALL_WORKSPACES && workspace_id !== principal.workspace_id)
        throw new Problem(
          'forbidden',
          'This API key belongs to a workspace that this listener does not serve.',
        );
      return answer;
    },
    createServiceAssertion: async ({ principal, body }) => {
      const service = principalFor(principal, body);
      if (service === undefined)
        throw new Problem('forbidden', `This service does not call ${body.audience}.`);
      return {
        assertion: signer.sign(service, body.audience),
        expires_at: new Date(now() + ASSERTION_LIFETIME_S * 1000).toISOString(),
      };
    },
    readSigningKeys: async () => ({ keys: signer.public_keys.map((key) => ({ ...key })) }),
  };
}

function known<T>(found: T | undefined): T {
  if (found === undefined) throw new Problem('not_found', 'There is no such API key.');
  return found;
}
