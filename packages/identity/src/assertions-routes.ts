import { ALL_WORKSPACES } from '@roadstead/contracts';
import type { assertions } from '@roadstead/contracts/identity';
import { ASSERTION_LIFETIME_S, type Handlers, type Signer } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import type { Edge } from './credentials/edge.ts';
import { principalFor } from './services/service-keys.ts';

export function identityHandlers({
  edge,
  signer,
  now,
}: {
  edge: Edge;
  signer: Signer;
  now: () => number;
}): Handlers<typeof assertions> {
  return {
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
