import { ALL_WORKSPACES, covers } from '@roadstead/contracts';
import type { IdentityContract } from '@roadstead/contracts/identity';
import {
  ASSERTION_LIFETIME_S,
  type Database,
  type Handlers,
  isUuid,
  Problem,
  type Signer,
} from '@roadstead/kit';
import type { Edge } from './edge.ts';
import { principalFor } from './services/service-keys.ts';
import { insertKey, listKeys, revokeKey } from './keys/key-store.ts';

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
}): Omit<Handlers<IdentityContract>, 'listWorkspaces' | 'createWorkspace' | 'patchWorkspace'> {
  return {
    listApiKeys: async ({ workspace_id, query }) => {
      const items = await listKeys(db, workspace_id, {
        after: cursorOf(query.cursor),
        deployment_id: query.deployment_id,
        limit: query.page_size + 1,
      });
      const page = items.slice(0, query.page_size);
      const last = items.length > page.length ? page.at(-1) : undefined;
      return {
        items: page,
        next_cursor: last === undefined ? null : Buffer.from(last.id).toString('base64url'),
      };
    },
    createApiKey: async ({ workspace_id, principal, body }) => {
      const lacking = body.scopes.filter((scope) => !covers(principal.scopes, scope));
      if (lacking.length > 0)
        throw new Problem('forbidden', `A key gives no scope that it lacks itself: ${lacking.join(', ')}.`);
      return insertKey(db, { workspace_id, ...body });
    },
    createDeploymentKey: async ({ workspace_id, body }) => insertKey(db, { workspace_id, ...body }),
    deleteApiKey: async ({ workspace_id, params }) => {
      const hash = await revokeKey(db, { workspace_id, id: params.key_id });
      if (hash === undefined) throw new Problem('not_found', 'There is no such API key.');
      edge.forget(hash);
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

function cursorOf(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const id = Buffer.from(cursor, 'base64url').toString();
  if (!isUuid(id)) throw new Problem('invalid', 'The cursor is not one that this list gave.');
  return id;
}
