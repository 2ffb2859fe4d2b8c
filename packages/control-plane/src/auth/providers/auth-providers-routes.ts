import type { authProviders } from '@roadstead/contracts/control-plane';
import type { Handlers } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import type { AuthContext } from '../auth-context.ts';
import { discoverProvider } from './mcp-discovery-work.ts';
import { listProviders, readProvider } from './provider-store.ts';
import { answerOf, changeProvider, createProvider, removeProvider } from './provider-work.ts';

type ProviderHandlers = Handlers<typeof authProviders>;

export function providerHandlers(context: AuthContext): ProviderHandlers {
  const { db } = context;
  return {
    listAuthProviders: async ({ workspace_id }) => (await listProviders(db, workspace_id)).map(answerOf),
    createAuthProvider: async ({ workspace_id, principal, body }) =>
      answerOf(await createProvider(context, { workspace_id, actor: principal.actor, request: body })),
    discoverMcpProvider: async ({ workspace_id, principal, body }) =>
      answerOf(await discoverProvider(context, { workspace_id, actor: principal.actor, ...body })),
    readAuthProvider: async ({ workspace_id, params }) =>
      answerOf(await readProvider(db, { workspace_id, ...params })),
    patchAuthProvider: async ({ workspace_id, principal, params, body }) =>
      answerOf(
        await changeProvider(context, { workspace_id, actor: principal.actor, ...params, request: body }),
      ),
    deleteAuthProvider: async ({ workspace_id, principal, params }) => {
      await removeProvider(context, { workspace_id, actor: principal.actor, ...params });
      return { message: `The OAuth provider ${params.provider_id} and its tokens are deleted.` };
    },
    listPlatformProviders: async () => [],
    readPlatformProvider: async () => {
      throw new Problem('not_found', 'This Roadstead offers no OAuth providers of its own.', {
        hint: 'Register one for the workspace by POST /v2/auth/providers.',
      });
    },
  };
}
