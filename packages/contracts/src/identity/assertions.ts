import { z } from 'zod';
import { Audience } from '../endpoints/access.ts';
import { endpoint } from '../endpoints/endpoint.ts';
import { Timestamp, Uuid } from '../values/query-values.ts';
import { WellFormedText } from '../values/well-formed-text.ts';

/** Signed statements of who calls, and the keys that verify them. */
export const assertions = {
  verifyCredential: endpoint({
    method: 'POST',
    path: '/v2/api-keys/verify',
    summary: 'Verify a caller’s credential for an edge elsewhere, and sign what goes inward',
    access: 'listener',
    workspace: 'any',
    body: z.object({
      credential: WellFormedText.max(4096),
      workspace_id: WellFormedText.max(100).nullish(),
      audience: Audience,
    }),
    success: { status: 200, body: z.object({ assertion: WellFormedText, expires_at: Timestamp }) },
    example: { body: { credential: 'rs_example', audience: 'agent-server' } },
  }),
  createServiceAssertion: endpoint({
    method: 'POST',
    path: '/v2/service-assertions',
    summary:
      'Sign that one of our services calls another, for one workspace; only with the service’s own key',
    auth: 'signed',
    workspace: 'any',
    body: z.object({ audience: Audience, workspace_id: Uuid }),
    success: { status: 200, body: z.object({ assertion: WellFormedText, expires_at: Timestamp }) },
    example: {
      body: { audience: 'observability', workspace_id: '0199d3a0-0000-7000-8000-000000000003' },
    },
  }),
  readSigningKeys: endpoint({
    method: 'GET',
    path: '/.well-known/roadstead-keys.json',
    summary: 'Public keys that sign assertions (JWK set, RFC 7517)',
    auth: 'public',
    success: { status: 200, body: z.object({ keys: z.array(z.record(WellFormedText, z.unknown())) }) },
  }),
};
