import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { queryInt, Timestamp, Uuid } from '../values/query-values.ts';
import { JsonObject, WellFormedText } from '../values/well-formed-text.ts';
import { AuthScopes, AuthUserId } from './auth-flows.ts';
import { ProviderId } from './auth-providers.ts';
import { mounts } from './deployments.ts';

/** The tokens that users have at providers; none of these answers holds one. */

export const TokenSummary = z
  .object({
    id: Uuid,
    provider_id: WellFormedText,
    provider_account_label: WellFormedText.nullable(),
    scopes: z.array(WellFormedText),
    expires_at: Timestamp.nullable(),
    is_default: z.boolean(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'TokenSummary' });
export type TokenSummary = z.output<typeof TokenSummary>;

export const TokenEventSummary = z
  .object({
    id: WellFormedText,
    provider_id: WellFormedText,
    agent_id: WellFormedText.nullable(),
    event_type: WellFormedText,
    reason: WellFormedText.nullable(),
    source: WellFormedText.nullable(),
    provider_account_label: WellFormedText.nullable(),
    scopes: z.array(WellFormedText),
    detail: z.record(WellFormedText, z.unknown()).nullable(),
    acknowledged_at: Timestamp.nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'TokenEventSummary' });
export type TokenEventSummary = z.output<typeof TokenEventSummary>;

const TokenText = WellFormedText.min(1).max(16_384);
/** A token that was obtained elsewhere. */
export const ImportedToken = z.object({
  access_token: TokenText,
  refresh_token: TokenText.nullish(),
  expires_in_seconds: z.number().int().min(0).max(10_000_000_000).nullish(),
  scopes: AuthScopes.default([]),
  metadata: JsonObject.nullish(),
});
export type ImportedToken = z.output<typeof ImportedToken>;
export const AccountLabel = WellFormedText.max(500);

/**
 * The owner of the tokens: a user, for a key that acts for several. Without it they are those of the key’s own subject,
 * or all that were obtained with a key without one.
 */
const Whose = z.object({ user_id: AuthUserId.optional() });
const OfProvider = Whose.extend({ provider_id: ProviderId });
const read = { mounts, access: 'connections:read' } as const;
const write = { mounts, access: 'connections:write' } as const;
const HasToken = z.object({ has_token: z.boolean() });
const Removed = z.object({ message: WellFormedText, provider_id: WellFormedText });
const params = z.object({ token_id: Uuid });
const example = { query: { provider_id: 'github' } } as const;

export const authTokens = {
  listAuthTokens: endpoint({
    ...read,
    method: 'GET',
    path: '/v2/auth/tokens',
    summary: 'List the caller’s own tokens, without what opens them',
    query: Whose.extend({ provider_id: ProviderId.optional() }),
    errors: [403],
    success: { status: 200, body: z.array(TokenSummary) },
    example,
  }),
  deleteAuthTokens: endpoint({
    ...write,
    method: 'DELETE',
    path: '/v2/auth/tokens',
    summary: 'Revoke and delete the caller’s own tokens of a provider',
    query: OfProvider,
    errors: [403, 404],
    success: { status: 200, body: Removed },
    example,
  }),
  hasAuthToken: endpoint({
    ...read,
    method: 'GET',
    path: '/v2/auth/tokens/exists',
    summary: 'Tell whether the caller has a token of a provider',
    query: OfProvider,
    errors: [403],
    success: { status: 200, body: HasToken },
    example,
  }),
  haveAuthTokens: endpoint({
    ...read,
    method: 'POST',
    path: '/v2/auth/tokens/exists/batch',
    summary: 'List the providers at which the caller has a token',
    query: Whose,
    body: z.object({ provider_ids: z.array(ProviderId).max(500) }),
    errors: [403],
    success: {
      status: 200,
      body: z.object({ has_token: z.record(WellFormedText, z.boolean()) }),
    },
    example: { query: {}, body: { provider_ids: ['github', 'slack'] } },
  }),
  importAuthToken: endpoint({
    ...write,
    method: 'POST',
    path: '/v2/auth/tokens/import',
    summary: 'Store a token that was obtained elsewhere',
    query: Whose,
    errors: [403, 404],
    body: ImportedToken.extend({ provider_id: ProviderId, is_default: z.boolean().default(true) }),
    success: { status: 200, body: z.object({ token_id: Uuid }) },
    example: { query: {}, body: { provider_id: 'github', access_token: 'the token', scopes: ['repo'] } },
  }),
  hasSlackTokens: endpoint({
    ...read,
    method: 'GET',
    path: '/v2/auth/tokens/workspace/slack/exists',
    summary: 'Whether anybody in the workspace has a token of a Slack provider',
    success: { status: 200, body: HasToken },
  }),
  deleteSlackTokens: endpoint({
    mounts,
    access: 'connections:admin',
    method: 'DELETE',
    path: '/v2/auth/tokens/workspace/slack',
    summary: 'Revoke and delete every token of a Slack provider in the workspace',
    success: { status: 200, body: Removed },
  }),
  deleteAuthToken: endpoint({
    ...write,
    method: 'DELETE',
    path: '/v2/auth/tokens/{token_id}',
    summary: 'Revoke a token at its provider, then delete it',
    params,
    success: { status: 204 },
  }),
  patchAuthTokenMetadata: endpoint({
    ...write,
    method: 'PATCH',
    path: '/v2/auth/tokens/{token_id}/metadata',
    summary: 'Name the account of a token, or make it the user’s default',
    params,
    body: z.object({ provider_account_label: AccountLabel.nullish(), is_default: z.boolean().nullish() }),
    success: { status: 200, body: TokenSummary },
    example: { body: { provider_account_label: 'anna at work' } },
  }),
  listTokenEvents: endpoint({
    ...read,
    method: 'GET',
    path: '/v2/auth/token-events',
    summary: 'The history of the caller’s own tokens, newest first',
    query: Whose.extend({
      provider_id: ProviderId.optional(),
      limit: queryInt({ min: 1, max: 200, fallback: 50 }),
    }),
    errors: [403],
    success: { status: 200, body: z.array(TokenEventSummary) },
    example,
  }),
};
