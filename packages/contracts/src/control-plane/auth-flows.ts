import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { queryInt, Uuid } from '../values/query-values.ts';
import { WellFormedText } from '../values/well-formed-text.ts';
import { ProviderId } from './auth-providers.ts';
import { mounts } from './deployments.ts';

/** The flow by which a user lets an agent act at a provider: requested, consented to in a browser, awaited. */

export const AuthStatus = z
  .enum(['completed', 'pending', 'connection_required', 'token_expired'])
  .meta({ id: 'AuthStatus' });
export type AuthStatus = z.output<typeof AuthStatus>;
const AuthWaitStatus = z
  .enum(['completed', 'pending', 'timeout', 'not_found'])
  .meta({ id: 'AuthWaitStatus' });

/** A scope of OAuth (RFC 6749, 3.3). */
export const AuthScope = WellFormedText.max(500).regex(
  /^[\x21\x23-\x5b\x5d-\x7e]+$/,
  'must be printable, without spaces, quotes and backslashes',
);
export const AuthScopes = z.array(AuthScope).max(200);
/** The user whom a token is for, as the requesting program names its users. */
export const AuthUserId = WellFormedText.min(1).max(500);
export const AgentId = WellFormedText.min(1).max(300);
/** Several of them fit into a request line, which Node reads up to 16 kB. */
const Answered = WellFormedText.min(1).max(2000);

export const AuthenticateRequest = z
  .object({
    provider: WellFormedText.min(1).max(100),
    scopes: AuthScopes,
    user_id: AuthUserId.nullish(),
    /** Used where there is no `user_id`. */
    ls_user_id: AuthUserId.nullish(),
    agent_id: AgentId.nullish(),
    /** Asks for this token, and no other of the user. */
    token_id: Uuid.nullish(),
    /** Begins a flow even if there are tokens. */
    force_new: z.boolean().default(false),
    /** Whether the token of the flow becomes the user’s default at this provider. */
    is_default: z.boolean().default(true),
    use_agent_builder_public_oauth: z.boolean().default(false),
    redirect_uri: WellFormedText.max(2000).nullish(),
  })
  .meta({ id: 'AuthenticateRequest' });
export type AuthenticateRequest = z.output<typeof AuthenticateRequest>;

export const AuthenticateResponse = z
  .object({
    status: AuthStatus,
    /** Where the user consents; null when the token is there. */
    url: WellFormedText.nullable(),
    auth_id: WellFormedText.nullable(),
    token: WellFormedText.nullable(),
    user_id: WellFormedText.nullable(),
    metadata: z.record(WellFormedText, z.unknown()).nullable(),
  })
  .meta({ id: 'AuthenticateResponse' });
export type AuthenticateResponse = z.output<typeof AuthenticateResponse>;

const AuthWaitResponse = z
  .object({ status: AuthWaitStatus, token: WellFormedText.nullable() })
  .meta({ id: 'AuthWaitResponse' });
export type AuthWaitResponse = z.output<typeof AuthWaitResponse>;

const params = z.object({ provider_id: ProviderId });
/** The query with which a provider sends a browser back; anything else in it is ignored. */
const Return = z.object({
  code: Answered.optional(),
  state: WellFormedText.max(500).optional(),
  iss: WellFormedText.max(2000).optional(),
  error: WellFormedText.max(200).optional(),
  error_description: WellFormedText.max(10_000).optional(),
});
const use = { mounts, access: 'connections:use' } as const;
const page = { mounts, auth: 'public', errors: [400, 404] } as const;
const html = { status: 200, media_types: ['text/html'] } as const;

export const authFlows = {
  authenticate: endpoint({
    ...use,
    method: 'POST',
    path: '/v2/auth/authenticate',
    summary: 'Get a user’s token, fresh, or begin the flow that gives one',
    errors: [400, 404],
    body: AuthenticateRequest,
    success: { status: 200, body: AuthenticateResponse },
    example: { body: { provider: 'github', scopes: ['repo'], user_id: 'anna' } },
  }),
  waitForAuth: endpoint({
    ...use,
    method: 'GET',
    path: '/v2/auth/wait/{auth_id}',
    summary: 'Wait until a flow has ended, and take its token',
    params: z.object({ auth_id: WellFormedText.max(100) }),
    query: z.object({ timeout: queryInt({ min: 0, max: 3600, fallback: 30 }) }),
    success: { status: 200, body: AuthWaitResponse },
    example: { query: { timeout: '1' } },
  }),
  authCallback: endpoint({
    ...page,
    method: 'GET',
    path: '/v2/auth/callback/{provider_id}',
    summary: 'The page to which a provider returns a browser; it asks whether to connect, and stores nothing',
    params,
    query: Return,
    success: html,
    example: { query: { code: 'example', state: 'example' } },
  }),
  submitAuthPage: endpoint({
    ...page,
    method: 'POST',
    path: '/v2/auth/callback/{provider_id}/answer',
    summary: 'Connect or cancel, as the buttons of the page do',
    params,
    raw: true,
    media_type: 'application/x-www-form-urlencoded',
    max_body_bytes: 32_768,
    success: html,
    example: { body: 'do=connect&state=example&code=example' },
  }),
  finishAuth: endpoint({
    ...use,
    method: 'POST',
    path: '/v2/auth/callback/{provider_id}',
    summary: 'Finish a flow with what the provider returned, for who began it',
    errors: [400, 403],
    params,
    body: z.object({
      code: Answered,
      state: WellFormedText.min(1).max(500),
      iss: WellFormedText.max(2000).nullish(),
    }),
    success: {
      status: 200,
      body: z.object({ status: AuthStatus, auth_id: WellFormedText, provider_id: WellFormedText }),
    },
    example: { body: { code: 'example', state: 'example' } },
  }),
  authSetup: endpoint({
    ...page,
    method: 'GET',
    path: '/v2/auth/setup/{provider_id}',
    summary: 'The page to which GitHub returns a browser after the installation of an app',
    params,
    query: Return.extend({
      setup_action: WellFormedText.max(100).optional(),
      installation_id: WellFormedText.max(100).optional(),
    }),
    success: html,
    example: { query: { setup_action: 'update', installation_id: '1' } },
  }),
};
